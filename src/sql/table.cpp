#include <tern/sql/table.hpp>

#include <tern/base/number.hpp>
#include <tern/sql/queries.hpp>

#include <algorithm>
#include <exception>
#include <optional>

namespace tern {

SqlTable::SqlTable(const Runtime& name) : name_(name.pattern) {
  if (sql::is_table_name(name_)) return;
  throw SqlError(SqlErrorKind::Statement, "\"" + std::string(name_) + "\" cannot be the name of a table");
}

namespace sql::detail {
namespace {

// Rows of one statement at most, and parameters: each text is kept by the connections, and by the database.
constexpr std::size_t max_rows = 128;
constexpr std::size_t max_parameters = 1024;
constexpr std::size_t some_rows = 16;  // of what is left; then one by one

// Any name, with its quotes doubled.
void append_name(std::string& text, std::string_view name) {
  text += '"';
  for (std::size_t quote = 0; (quote = name.find('"')) != name.npos; name.remove_prefix(quote + 1)) {
    text.append(name, 0, quote + 1) += '"';
  }
  (text += name) += '"';
}

void append_table(std::string& text, std::string_view table) {
  const std::size_t dot = table.find('.');
  if (dot != std::string_view::npos) {
    append_name(text, table.substr(0, dot));
    text += '.';
    table.remove_prefix(dot + 1);
  }
  append_name(text, table);
}

void append_parameter(std::string& text, std::size_t number) {
  text += '$';
  base::append_integer(text, number);
}

void append_returning(std::string& text, Names names) {
  std::string_view before = " returning ";
  for (const std::string_view name : names) {
    text += before;
    append_name(text, name);
    before = ", ";
  }
}

// The same error, about `table`.
[[noreturn]] void rethrow(const SqlError& error, std::string message, std::string_view table, std::string_view column) {
  SqlError named(error.kind(), std::move(message));
  named.set_sqlstate(error.sqlstate()).set_code(error.code()).set_constraint(error.constraint());
  named.set_column(std::string(table), std::string(column));
  throw named;
}

// The column that "argument $7 is …" is about.
std::string_view column_of(std::string_view message, Names columns) {
  constexpr std::string_view mark = "argument $";
  if (!message.starts_with(mark)) return {};
  message.remove_prefix(mark.size());
  const auto number = base::parse_integer<std::size_t>(message.substr(0, message.find_first_not_of("0123456789")));
  return number.value_or(0) == 0 ? std::string_view() : columns[(*number - 1) % columns.size()];
}

// Drivers count parameters, and databases do not always say which table an error is about.
// (Within the handler that has caught it.)
[[noreturn]] void rethrow_for_target(const SqlError& error, const Target& target) {
  const std::string_view column = column_of(error.what(), target.columns);
  if (!column.empty()) rethrow_for_member(error, target.table, column);
  const bool is_about_data = error.kind() <= SqlErrorKind::Text && error.kind() != SqlErrorKind::Statement;
  if (!is_about_data || !error.table().empty()) throw;
  rethrow(error, "the table \"" + target.table + "\": " + error.what(), target.table, error.column());
}

}  // namespace

void rethrow_for_member(const SqlError& error, std::string_view table, std::string_view column) {
  std::string message = "the column \"";
  message.append(column).append("\" of the table \"").append(table).append("\": ").append(error.what());
  rethrow(error, std::move(message), table, column);
}

std::string insert_text(std::string_view table, Names columns, std::size_t rows, Names returning) {
  std::string text;
  text.reserve(128 + rows * columns.size() * 7);
  text = "insert into ";
  append_table(text, table);
  std::string_view before = " (";
  for (const std::string_view column : columns) {
    text += before;
    append_name(text, column);
    before = ", ";
  }
  text += ") values (";
  for (std::size_t i = 0; i < rows * columns.size(); ++i) {
    if (i != 0) text += i % columns.size() == 0 ? "), (" : ", ";
    append_parameter(text, i + 1);
  }
  text += ')';
  append_returning(text, returning);
  return text;
}

std::string update_text(std::string_view table, Names columns, std::uint64_t keys, Names returning) {
  std::string text;
  text.reserve(256);
  text = "update ";
  append_table(text, table);
  const auto append_equations = [&](std::string_view before, std::string_view between, bool of_keys) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if ((keys >> i & 1U) != (of_keys ? 1U : 0U)) continue;
      text += before;
      append_name(text, columns[i]);
      text += " = ";
      append_parameter(text, i + 1);
      before = between;
    }
  };
  append_equations(" set ", ", ", false);
  append_equations(" where ", " and ", true);
  append_returning(text, returning);
  return text;
}

Task<std::int64_t> write(Driver& driver, const Call& call, RowReader* rows, const Target& target) {
  try {
    co_return co_await run(driver, call, rows);
  } catch (const SqlError& error) {
    rethrow_for_target(error, target);
  }
}

Task<std::int64_t> write(Driver& driver, Call call, Target target) {
  co_return co_await write(driver, call, nullptr, target);
}

Insertion::Insertion(SqlTable table, Names columns, std::size_t rows)
    : target_{std::string(table.name()), columns}, left_(rows) {
  forms_.push_back({std::clamp(max_parameters / columns.size(), some_rows, max_rows), {}});
  forms_.push_back({some_rows, {}});
  forms_.push_back({1, {}});
}

Arguments& Insertion::next() {
  if (form_ == nullptr || filled_ == form_->rows) {
    end();
    form_ = &*std::ranges::find_if(forms_, [&](const Form& form) { return form.rows <= left_; });
    if (form_->text.empty()) form_->text = insert_text(target_.table, target_.columns, form_->rows, {});
  }
  ++filled_;
  --left_;
  return arguments_;
}

void Insertion::end() {
  if (filled_ == 0) return;
  filled_ = 0;
  Call call(CallKind::Execute, form_->text, true, std::move(arguments_));  // borrows the text
  arguments_ = {};
  steps_.push_back(base::make_box<Step>(std::move(call), nullptr));
}

Task<std::int64_t> Insertion::run(Driver& driver, Insertion insertion) {
  if (insertion.steps_.empty()) co_return 0;
  try {
    if (insertion.steps_.size() == 1) co_return co_await detail::run(driver, insertion.steps_.front()->call, nullptr);
    co_await run_all(driver, insertion.steps_);
  } catch (const SqlError& error) {
    rethrow_for_target(error, insertion.target_);
  }
  std::int64_t inserted = 0;
  for (const auto& step : insertion.steps_) inserted += step->changed;
  co_return inserted;
}

}  // namespace sql::detail
}  // namespace tern
