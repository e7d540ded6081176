#include <tern/sql/error.hpp>
#include <tern/sql/queries.hpp>
#include <tern/sql/rows.hpp>
#include <tern/sql/text_rows.hpp>

#include <tern/base/number.hpp>
#include <tern/base/utf8.hpp>

#include <algorithm>
#include <string>

namespace tern::sql::detail {
namespace {

[[noreturn]] void refuse_columns(const std::string& why) {
  throw SqlError(SqlErrorKind::Column, why);
}

std::string quoted(std::string_view name) {
  return "\"" + std::string(name) + "\"";
}

// Numbers are shown; text and blobs may be long, and private.
std::string shown(const Value& value) {
  std::string text(to_string(value.type));
  if (value.type == ValueType::Integer || value.type == ValueType::Real) text += ' ';
  if (value.type == ValueType::Decimal) text.append(" ").append(value.bytes);
  if (value.bytes == "infinity" || value.bytes == "-infinity") text.append(" ").append(value.bytes);
  if (value.type == ValueType::Integer) base::append_integer(text, value.integer);
  if (value.type == ValueType::Real) base::append_number(text, value.real);
  return text;
}

}  // namespace

std::size_t RowMapping::find(std::string_view name) const noexcept {
  std::size_t index = 0;
  while (index < members_.size() && members_[index].name != name) ++index;
  return index;
}

void RowMapping::columns(std::span<const Column> columns) {
  if (single_) {
    if (columns.size() == 1) return;
    refuse_columns("a row has " + std::to_string(columns.size()) + " columns, where the C++ type " +
                   std::string(members_[0].type) + " takes one");
  }
  std::array<bool, json::detail::max_members> seen{};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view name = columns[i].name;
    // In the same order, there is nothing to look for.
    const std::size_t at = i < members_.size() && members_[i].name == name ? i : find(name);
    if (at == members_.size()) refuse_columns("the column " + quoted(name) + " is no member of the row's struct");
    if (std::exchange(seen[at], true)) refuse_columns("two columns have the name " + quoted(name));
    order_[i] = static_cast<std::uint8_t>(at);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (seen[i]) continue;
    refuse_columns("the column " + quoted(members_[i].name) + " is missing, for a member of the C++ type " +
                   std::string(members_[i].type));
  }
}

void RowMapping::refuse(const Member& member, const Column& column, const Value& value) {
  std::string why = "the column " + quoted(column.name);
  if (!column.declared_type.empty()) why += " (" + std::string(column.declared_type) + ")";
  refuse_columns(why + " has the value " + shown(value) + ", which the C++ type " + std::string(member.type) +
                 " cannot hold");
}

bool view_text(const Value& value, std::optional<std::string_view>& text) noexcept {
  text.reset();
  return value.type == ValueType::Null || view_text(value, text.emplace());
}

bool view_text(const Value& value, json::RawView& raw) {
  raw.text = value.bytes;
  if (value.type == ValueType::Json) return base::is_utf8(value.bytes);
  return value.type == ValueType::Text && json::read<json::Raw>(value.bytes).has_value();
}

bool view_text(const Value& value, std::optional<json::RawView>& raw) {
  raw.reset();
  return value.type == ValueType::Null || view_text(value, raw.emplace());
}

void expect_at_most_one_row(std::size_t rows, std::string_view statement) {
  if (rows <= 1) return;
  throw SqlError(SqlErrorKind::TooManyRows, "more than one row is the result of: " + std::string(statement));
}

void expect_one_row(std::size_t rows, std::string_view statement) {
  if (rows == 0) throw SqlError(SqlErrorKind::NoRow, "no row is the result of: " + std::string(statement));
  expect_at_most_one_row(rows, statement);
}

Task<std::int64_t> execute(Driver& driver, Call call) {
  co_return co_await run(driver, call, nullptr);
}

}  // namespace tern::sql::detail
