// Connection: one connection with SQLite, its prepared statements, and the limits of a running one. One thread at a
// time; it may change.
#pragma once

#include <tern/base/lru_map.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sqlite/sqlite.hpp>

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::sqlite {

// Throws the error that the connection has now.
[[noreturn]] void throw_error(sqlite3* connection, int code);
[[noreturn]] void throw_error(sqlite3* connection, int code, std::string_view text);

struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

struct Close {
  void operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }
};

// What ends a statement early.
struct Limits {
  StopToken stop;
  std::chrono::milliseconds timeout{};  // of each statement; zero: none
};

class Connection {
public:
  enum class Use : std::uint8_t { Read, Write };

  // Throws SqlError.
  Connection(const SqliteOptions& options, Use use);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  // The number of changed rows; unset if the statement writes, and this connection or `read_only` is against that.
  // Throws SqlError, or Cancelled.
  std::optional<std::int64_t> run(const sql::Call& call, sql::RowReader* rows, const Limits& limits,
                                  bool read_only = false);
  // One statement without rows and arguments.
  void execute(const char* text, const Limits& limits);
  // A read transaction around statements that do not know of it. False: there is none.
  bool begin_batch() noexcept;
  void end_batch() noexcept;
  // Never fails.
  void rollback() noexcept;
  bool in_transaction() const noexcept { return sqlite3_get_autocommit(connection_.get()) == 0; }

  // For cursors: a statement with its arguments, which belongs to the caller until it is returned.
  Statement take(const sql::Call& call);
  void put_back(std::string_view text, Statement statement) noexcept;
  // Reads rows until `rows` wants no further one. False at the end of the result.
  bool read(sqlite3_stmt* statement, sql::RowReader& rows, bool& began, const Limits& limits);

  void backup(const std::string& path, const Limits& limits);

private:
  class Running;

  void configure(const SqliteOptions& options);
  Statement prepare(std::string_view text, std::string_view* rest);
  void bind(sqlite3_stmt* statement, const sql::Arguments& arguments);
  std::optional<std::int64_t> run_script(std::string_view text, const Limits& limits, bool read_only);
  std::int64_t step_through(sqlite3_stmt* statement, sql::RowReader* rows, const Limits& limits);
  bool step(sqlite3_stmt* statement);
  void load_columns(sqlite3_stmt* statement);
  void load_values(sqlite3_stmt* statement);
  bool should_stop() noexcept;
  bool wait_for_lock(int attempts) noexcept;
  static int on_progress(void* self) noexcept;
  static int on_busy(void* self, int attempts) noexcept;

  Use use_;
  std::chrono::milliseconds busy_timeout_;
  std::unique_ptr<sqlite3, Close> connection_;
  base::LruMap<Statement> statements_;
  Statement begin_;  // of batches
  Statement commit_;
  std::vector<sql::Column> columns_;
  std::vector<sql::Value> values_;
  Running* running_ = nullptr;
};

}  // namespace tern::sqlite
