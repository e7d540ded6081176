// SqlStore: a Store in a table of a database, for servers that share it and for what survives a restart.
#pragma once

#include <tern/http/store.hpp>
#include <tern/sql/database.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

struct SqlStoreOptions {
  std::string table = "tern_store";           // letters, digits and "_", perhaps behind a schema and a dot
  bool create_table = true;                   // before the first use; otherwise a migration does it, see schema()
  std::size_t max_value_bytes = 1024 * 1024;  // a larger value is a StoreError
  Seconds sweep_every = Seconds(60);          // how often a write removes expired entries as well
};

// Each call is one statement, and thereby atomic; every SqlError is a StoreError. From any loop. Times are whole
// seconds of the servers' clocks, which must agree: an entry expires up to two seconds late. A write that is due
// removes up to 500 expired entries; sweep() removes them all.
class SqlStore final : public Store {
public:
  // The database must outlive the store. Throws SetupError for a name that is none.
  explicit SqlStore(const sql::Database& database, SqlStoreOptions options = {});
  explicit SqlStore(const sql::Database&&, SqlStoreOptions = {}) = delete;

  // The statements that create a table, for a migration; they do nothing if it exists.
  static std::string schema(std::string_view table = "tern_store");

  Task<std::optional<StoreEntry>> read(std::string_view key) override;
  Task<std::optional<std::uint64_t>> write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                           std::optional<std::uint64_t> expected = {}) override;
  Task<bool> extend(std::string_view key, Milliseconds lifetime) override;
  Task<bool> erase(std::string_view key, std::optional<std::uint64_t> expected = {}) override;

  // Removes all expired entries, 500 with each statement; their number.
  Task<std::int64_t> sweep();

private:
  // The statements, which have the name of the table in them.
  struct Statements {
    explicit Statements(std::string_view table);
    std::string create, read, put, add, replace, extend, erase, erase_version, sweep;
  };

  Task<> create_once();
  Task<std::int64_t> change(Task<std::int64_t> statement);
  Task<> sweep_if_due(std::int64_t now);

  const sql::Database& database_;
  const SqlStoreOptions options_;
  const Statements statements_;
  std::atomic<bool> created_;
  std::atomic<std::int64_t> next_sweep_ = 0;  // in the time of unix_time()
};

}  // namespace tern
