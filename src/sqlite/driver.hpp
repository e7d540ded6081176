// SqliteDriver: the statements of one database, on one writer and several readers.
#pragma once

#include "sql/counters.hpp"
#include "sqlite/slots.hpp"

#include <tern/sql/driver.hpp>
#include <tern/sqlite/sqlite.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tern::sqlite {

class SqliteDriver final : public sql::DatabaseDriver {
public:
  explicit SqliteDriver(SqliteOptions options);

  std::string_view system() const noexcept override { return "sqlite"; }
  Task<std::int64_t> run(const sql::Call& call, sql::RowReader* rows) override;
  Task<> run_all(sql::Steps steps) override;
  base::Box<sql::Cursor> open(sql::Call call) override;
  Task<base::Box<sql::TransactionDriver>> begin(TransactionOptions options) override;
  sql::Statistics statistics() const override;
  Task<> backup(std::string path);
  // At the start: throws SqlError if the database cannot be opened.
  void open() { writer_.open(); }

  // The number of handles, by which it lives.
  void retain() noexcept { ++handles_; }
  void release() noexcept {
    if (--handles_ == 0) delete this;
  }

  Limits limits(StopToken stop) const noexcept { return {stop, options_.statement_timeout}; }
  sql::Counters& counters() noexcept { return counters_; }
  Slots& readers() noexcept { return in_memory_ ? writer_ : readers_; }

private:
  Task<std::optional<std::int64_t>> run_on(Slots& slots, const sql::Call& call, sql::RowReader* rows,
                                           const Limits& limits);

  SqliteOptions options_;
  std::atomic<std::size_t> handles_ = 1;
  bool in_memory_;
  sql::Counters counters_;
  Slots writer_;
  Slots readers_;
};

}  // namespace tern::sqlite
