#include "sqlite/connection.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/statement.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <thread>

namespace tern::sqlite {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int max_parameters = 32'766;   // the usual limit; Debian's build has another
constexpr int progress_interval = 1000;  // instructions of SQLite's machine; a few microseconds

std::string_view text_of(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

[[noreturn]] void refuse_parameters(const std::string& why) {
  throw SqlError(SqlErrorKind::Parameter, why);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

void bind_value(sqlite3_stmt* statement, int index, const sql::Value& value) {
  // The arguments outlive the use of the statement, so that SQLite copies nothing.
  const auto bind_bytes = [&](const auto bind, auto... more) {
    const char* const bytes = value.bytes.empty() ? "" : value.bytes.data();
    return bind(statement, index, bytes, value.bytes.size(), SQLITE_STATIC, more...);
  };
  int code = SQLITE_OK;
  switch (value.type) {
    case sql::ValueType::Null: code = sqlite3_bind_null(statement, index); break;
    case sql::ValueType::Integer: code = sqlite3_bind_int64(statement, index, value.integer); break;
    case sql::ValueType::Real: code = sqlite3_bind_double(statement, index, value.real); break;
    case sql::ValueType::Text: code = bind_bytes(sqlite3_bind_text64, static_cast<unsigned char>(SQLITE_UTF8)); break;
    case sql::ValueType::Blob: code = bind_bytes(sqlite3_bind_blob64); break;
    default:
      refuse_parameters("argument $" + std::to_string(index) +
                        " is an array, which SQLite does not have; Json<std::vector<T>> stores several values");
  }
  if (code != SQLITE_OK) throw_error(sqlite3_db_handle(statement), code);
}

// The same statement with ?7 for $7: for SQLite, that is a number, and $7 a name, which it searches for among all
// names.
std::string with_numbers(std::string_view text) {
  const auto is_word = [&](std::size_t at) {
    return at < text.size() && (base::is_alpha(text[at]) || base::is_digit(text[at]) || text[at] == '_');
  };
  std::string numbered(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const std::size_t end = sql::skip_quoted(text, at); end != at) {
      at = end - 1;
      continue;
    }
    const char c = text[at];
    if (c == '[') {  // a name, too
      at = std::min(text.find(']', at), text.size() - 1);
    } else if (c == '$' && (at == 0 || !is_word(at - 1)) && at + 1 < text.size() && text[at + 1] >= '1' &&
               text[at + 1] <= '9') {
      numbered[at] = '?';
    } else if (c == '?' || ((c == '$' || c == ':' || c == '@') && is_word(at + 1) && !is_word(at - 1))) {
      std::size_t end = at + 1;
      while (is_word(end)) ++end;
      refuse_parameters("a parameter is written as $1, $2 …, not as \"" + std::string(text.substr(at, end - at)) + '"');
    }
  }
  return numbered;
}

// Resets a statement when its run ends, whatever happened, so that it holds no lock and no argument.
class Reset {
public:
  explicit Reset(sqlite3_stmt* statement) noexcept : statement_(statement) {}
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  ~Reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

private:
  sqlite3_stmt* statement_;
};

}  // namespace

// The limits of the statements that run now.
class Connection::Running {
public:
  Running(Connection& connection, const Limits& limits) : connection_(connection), limits_(limits) {
    if (limits.timeout.count() != 0) end_ = Clock::now() + limits.timeout;
    check();
    connection.running_ = this;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { connection_.running_ = nullptr; }

  bool over() const noexcept { return limits_.stop.stop_requested() || Clock::now() >= end_; }
  // Of an interrupted statement.
  void check() const {
    if (limits_.stop.stop_requested()) throw Cancelled();
  }

private:
  Connection& connection_;
  const Limits& limits_;
  Clock::time_point end_ = Clock::time_point::max();
};

Connection::Connection(const SqliteOptions& options, Use use)
    : use_(use), busy_timeout_(options.busy_timeout), statements_(options.statement_cache) {
  const int mode = options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(options.path.c_str(), &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  connection_.reset(opened);
  if (code != SQLITE_OK) throw_error(opened, code, options.path);
  sqlite3_progress_handler(opened, progress_interval, &on_progress, this);
  sqlite3_busy_handler(opened, &on_busy, this);
  try {
    configure(options);
  } catch (SqlError& error) {
    if (error.code() == 0) throw;
    throw_error(opened, error.code(), options.path);
  }
}

void Connection::configure(const SqliteOptions& options) {
  sqlite3* const connection = connection_.get();
  for (const auto& [setting, value] : {std::pair(SQLITE_DBCONFIG_ENABLE_FKEY, 1), std::pair(SQLITE_DBCONFIG_DQS_DML, 0),
                                       std::pair(SQLITE_DBCONFIG_DQS_DDL, 0), std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
                                       std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)}) {
    sqlite3_db_config(connection, setting, value, nullptr);
  }
  sqlite3_limit(connection, SQLITE_LIMIT_VARIABLE_NUMBER, max_parameters);
  const Limits limits;
  // The first access to the file, which finds out whether it is a database.
  execute("select count(*) from sqlite_schema", limits);
  if (use_ == Use::Read || options.read_only) {
    execute("pragma query_only = on", limits);
    return;
  }
  execute("pragma journal_mode = wal", limits);  // no effect in memory
  constexpr const char* sync[] = {"pragma synchronous = full", "pragma synchronous = normal",
                                  "pragma synchronous = off"};
  execute(sync[static_cast<std::size_t>(options.sync)], limits);
  if (options.max_pages != 0) {
    execute(("pragma max_page_count = " + std::to_string(options.max_pages)).c_str(), limits);
  }
}

std::optional<std::int64_t> Connection::run(const sql::Call& call, sql::RowReader* rows, const Limits& limits,
                                            bool read_only) {
  read_only = read_only || use_ == Use::Read;
  if (call.kind() == sql::CallKind::Script) return run_script(call.text(), limits, read_only);
  const Running running(*this, limits);
  Statement fresh;
  const Statement* cached = statements_.find(call.text());
  if (cached == nullptr) {
    const std::string text = with_numbers(call.text());
    std::string_view rest;
    fresh = prepare(text, &rest);
    if (!is_blank(rest)) {
      const Statement second = prepare(rest, nullptr);  // unless it is a comment
      if (second) throw SqlError(SqlErrorKind::Statement, "two statements in one; script() takes several");
    }
    if (!fresh) throw SqlError(SqlErrorKind::Statement, "there is no statement");
  }
  sqlite3_stmt* const statement = cached == nullptr ? fresh.get() : cached->get();
  std::optional<std::int64_t> changed;
  if (!read_only || sqlite3_stmt_readonly(statement) != 0) {
    bind(statement, call.arguments());
    const Reset reset(statement);
    changed = step_through(statement, rows, limits);
  }
  if (fresh) put_back(call.text(), std::move(fresh));
  return changed;
}

std::optional<std::int64_t> Connection::run_script(std::string_view text, const Limits& limits, bool read_only) {
  std::int64_t changed = 0;
  while (!text.empty()) {
    const Running running(*this, limits);
    std::string_view rest;
    const Statement statement = prepare(text, &rest);
    if (statement && read_only && sqlite3_stmt_readonly(statement.get()) == 0) return std::nullopt;
    if (statement) changed += step_through(statement.get(), nullptr, limits);
    text = rest;
  }
  return changed;
}

void Connection::execute(const char* text, const Limits& limits) {
  run_script(text, limits, false);
}

bool Connection::begin_batch() noexcept {
  if (!begin_) {
    const auto prepared = [this](const char* text) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v3(connection_.get(), text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
      return Statement(statement);
    };
    begin_ = prepared("begin");
    commit_ = prepared("commit");
  }
  if (!begin_ || !commit_) return false;
  sqlite3_step(begin_.get());
  sqlite3_reset(begin_.get());
  return in_transaction();
}

void Connection::end_batch() noexcept {
  sqlite3_step(commit_.get());
  sqlite3_reset(commit_.get());
  rollback();  // if that has failed
}

void Connection::rollback() noexcept {
  if (in_transaction()) sqlite3_exec(connection_.get(), "rollback", nullptr, nullptr, nullptr);
}

Statement Connection::prepare(std::string_view text, std::string_view* rest) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw_error(nullptr, SQLITE_TOOBIG);
  sqlite3_stmt* prepared = nullptr;
  const char* end = nullptr;
  const unsigned flags = rest == nullptr ? 0 : SQLITE_PREPARE_PERSISTENT;
  const int code =
      sqlite3_prepare_v3(connection_.get(), text.data(), static_cast<int>(text.size()), flags, &prepared, &end);
  Statement statement(prepared);
  if (code != SQLITE_OK) throw_error(connection_.get(), code);
  if (rest != nullptr) *rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return statement;
}

void Connection::bind(sqlite3_stmt* statement, const sql::Arguments& arguments) {
  const auto count = static_cast<std::size_t>(sqlite3_bind_parameter_count(statement));  // the highest number
  if (count != arguments.size()) {
    refuse_parameters("a statement with " + std::to_string(count) + " parameters gets " +
                      std::to_string(arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < count; ++i) bind_value(statement, static_cast<int>(i) + 1, arguments[i]);
}

std::int64_t Connection::step_through(sqlite3_stmt* statement, sql::RowReader* rows, const Limits& limits) {
  // A statement that changes nothing leaves sqlite3_changes64() as it was.
  const sqlite3_int64 before = sqlite3_total_changes64(connection_.get());
  if (rows == nullptr) {
    while (step(statement)) continue;
  } else {
    bool began = false;
    // SQLite makes all changes before the first row: rows that are not wanted need not be read.
    read(statement, *rows, began, limits);
  }
  return sqlite3_total_changes64(connection_.get()) == before ? 0 : sqlite3_changes64(connection_.get());
}

bool Connection::read(sqlite3_stmt* statement, sql::RowReader& rows, bool& began, const Limits& limits) {
  std::optional<Running> running;
  if (running_ == nullptr) running.emplace(*this, limits);
  for (bool loaded = false;;) {
    const bool row = step(statement);
    if (!std::exchange(loaded, true)) load_columns(statement);  // after the step, which may prepare the statement anew
    if (!std::exchange(began, true)) rows.columns(columns_);
    if (!row) return false;
    load_values(statement);
    if (!rows.row(columns_, values_)) return true;
  }
}

bool Connection::step(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  if ((code & 0xFF) == SQLITE_INTERRUPT || (code & 0xFF) == SQLITE_BUSY) running_->check();
  throw_error(connection_.get(), code);
}

void Connection::load_columns(sqlite3_stmt* statement) {
  columns_.clear();
  const int count = sqlite3_column_count(statement);
  for (int i = 0; i < count; ++i) {
    columns_.push_back({text_of(sqlite3_column_name(statement, i)), text_of(sqlite3_column_decltype(statement, i))});
  }
}

void Connection::load_values(sqlite3_stmt* statement) {
  values_.resize(columns_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const int column = static_cast<int>(i);
    sql::Value& value = values_[i];
    value = {};
    const auto view = [&](const void* bytes) {
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      if (bytes == nullptr && sqlite3_errcode(connection_.get()) == SQLITE_NOMEM) throw std::bad_alloc();
      return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
    };
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER: value = {sql::ValueType::Integer, sqlite3_column_int64(statement, column), 0, {}}; break;
      case SQLITE_FLOAT: value = {sql::ValueType::Real, 0, sqlite3_column_double(statement, column), {}}; break;
      case SQLITE_TEXT: value = {sql::ValueType::Text, 0, 0, view(sqlite3_column_text(statement, column))}; break;
      case SQLITE_BLOB: value = {sql::ValueType::Blob, 0, 0, view(sqlite3_column_blob(statement, column))}; break;
      default: break;
    }
  }
}

Statement Connection::take(const sql::Call& call) {
  std::string text;
  std::string_view rest;
  Statement statement;
  if (Statement* cached = statements_.find(call.text())) {
    statement = std::move(*cached);
    statements_.erase(call.text());
  } else {
    text = with_numbers(call.text());
    statement = prepare(text, &rest);
  }
  if (!statement || !is_blank(rest) || sqlite3_stmt_readonly(statement.get()) == 0) {
    throw SqlError(SqlErrorKind::Statement, "each() takes one statement that reads");
  }
  bind(statement.get(), call.arguments());
  return statement;
}

void Connection::put_back(std::string_view text, Statement statement) noexcept {
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  const int used = sqlite3_stmt_status(statement.get(), SQLITE_STMTSTATUS_MEMUSED, 0);
  try {
    statements_.put(text, std::move(statement), static_cast<std::size_t>(std::max(used, 0)));
  } catch (const std::bad_alloc&) {
    // It is prepared again.
  }
}

int Connection::on_progress(void* self) noexcept {
  return static_cast<Connection*>(self)->should_stop() ? 1 : 0;
}

bool Connection::should_stop() noexcept {
  return running_ != nullptr && running_->over();
}

int Connection::on_busy(void* self, int attempts) noexcept {
  return static_cast<Connection*>(self)->wait_for_lock(attempts) ? 1 : 0;
}

// Waits on a thread of the pool: SQLite cannot tell when another process releases its lock. The pauses grow to 10 ms.
bool Connection::wait_for_lock(int attempts) noexcept {
  constexpr int fast = 10;
  const std::chrono::milliseconds pause(std::min(attempts + 1, fast));
  const auto waited =
      attempts < fast ? attempts * (attempts + 1) / 2 : fast * (attempts - fast) + fast * (fast + 1) / 2;
  if (std::chrono::milliseconds(waited) >= busy_timeout_ || should_stop()) return false;
  std::this_thread::sleep_for(pause);
  return true;
}

// A read transaction holds the state that is copied: without one, each commit would begin the copy anew.
void Connection::backup(const std::string& path, const Limits& limits) {
  constexpr int pages = 256;  // between two looks at the limits
  const Running running(*this, limits);
  sqlite3* opened = nullptr;
  const int mode = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_NOMUTEX;
  if (std::filesystem::exists(path)) throw_error(nullptr, SQLITE_CANTOPEN, path);
  int code = sqlite3_open_v2(path.c_str(), &opened, mode, nullptr);
  const std::unique_ptr<sqlite3, Close> copy(opened);
  if (code != SQLITE_OK) throw_error(opened, code, path);
  const Statement snapshot = prepare("select 1 from sqlite_schema", nullptr);
  step(snapshot.get());
  sqlite3_backup* const backup = sqlite3_backup_init(opened, "main", connection_.get(), "main");
  if (backup == nullptr) throw_error(opened, sqlite3_errcode(opened), path);
  do {
    code = sqlite3_backup_step(backup, pages);
  } while (code == SQLITE_OK && !running.over());
  sqlite3_backup_finish(backup);
  running.check();
  if (code == SQLITE_OK) code = SQLITE_INTERRUPT;  // the time is over
  if (code != SQLITE_DONE) throw_error(nullptr, code, path);
}

}  // namespace tern::sqlite
