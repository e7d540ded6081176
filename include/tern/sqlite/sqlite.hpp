// Sqlite: a database in a file, or in memory.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/coro/task.hpp>
#include <tern/sql/database.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern {

namespace sqlite {
class SqliteDriver;
}

// When a commit is on the disk (the pragma synchronous).
enum class SqliteSync : std::uint8_t {
  Full,    // before the commit returns
  Normal,  // later: the last commits may be lost if the power fails, but the file is not damaged
  Off,     // when the system likes: a failure of the power may damage the file
};

struct SqliteOptions {
  std::string path = ":memory:";       // a file, which is created if it does not exist; or a database in memory
  unsigned readers = 4;                // statements that read at the same time; at least one. In memory: all take turns
  bool read_only = false;              // the file must exist
  std::size_t max_waiting = 1024;      // statements that wait for the writer, or for a reader
  Milliseconds max_wait = Seconds(5);  // for the writer or a reader of this program
  Milliseconds busy_timeout = Seconds(5);        // for the lock of another program
  Milliseconds statement_timeout = Seconds(30);  // zero: none
  std::size_t statement_cache = 1024 * 1024;     // bytes of prepared statements of one connection
  std::size_t max_pages = 0;                     // of the file, usually 4 KiB each; 0: no limit
  SqliteSync sync = SqliteSync::Full;
};

// A handle: its copies are the same database, which is closed with the last one. Statements run on the thread pool of
// the awaiting loop, and directly on a thread without a loop. A statement stops, and throws Cancelled, when the request
// is cancelled.
//
// A file is in WAL mode: readers do not wait for the writer. Foreign keys are checked.
class Sqlite final : public sql::Database {
public:
  // Opens the database; blocks. Throws SqlError if it cannot be opened, or is none.
  explicit Sqlite(SqliteOptions options = {});
  Sqlite(const Sqlite& other) noexcept;
  Sqlite& operator=(const Sqlite& other) noexcept;
  ~Sqlite();

  // Copies the database to a file that must not exist, as it is at the beginning of the copy. Writers are not blocked.
  Task<> backup(std::string path) const;

private:
  sql::DatabaseDriver& database() const override;

  sqlite::SqliteDriver* driver_;  // counts its handles
};

}  // namespace tern
