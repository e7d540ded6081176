// PostgresDriver: what the copies of a Postgres share: its options, and the pools of the loops.
#pragma once

#include "postgres/pool.hpp"
#include "sql/counters.hpp"

#include <tern/postgres/postgres.hpp>
#include <tern/sql/driver.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace tern::postgres {

class PostgresDriver final : public sql::DatabaseDriver {
public:
  // Throws std::invalid_argument.
  explicit PostgresDriver(PostgresOptions options);

  std::string_view system() const noexcept override { return "postgresql"; }
  Task<std::int64_t> run(const sql::Call& call, sql::RowReader* rows) override;
  Task<> run_all(sql::Steps steps) override;
  base::Box<sql::Cursor> open(sql::Call call) override;
  Task<base::Box<sql::TransactionDriver>> begin(TransactionOptions options) override;
  sql::Statistics statistics() const override;
  std::string_view migration_lock() const override;
  Task<> connect(Milliseconds limit);

  // A connection of this loop.
  Task<Lease> lease();

  // A handle; with the last one, the connections of all loops end.
  void retain() noexcept { handles_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  // Of the calling thread's loop. Throws std::logic_error if there is no loop.
  LoopPool& of_this_loop();
  // On the loop of `ended`, or while that does not run. May destroy the driver.
  void remove(LoopPool& ended) noexcept;

  const PostgresOptions& options() const noexcept { return options_; }
  sql::Counters& counters() noexcept { return counters_; }

private:
  ~PostgresDriver() = default;
  Task<std::int64_t> run_script(std::string_view text);
  void end_loops() noexcept;
  void leave() noexcept;

  const PostgresOptions options_;
  sql::Counters counters_;
  std::atomic<std::size_t> handles_ = 1;
  std::atomic<std::size_t> owners_ = 1;  // loops, and one for all handles
  mutable std::mutex mutex_;             // guards what follows, not the pools, which belong to their loops
  std::vector<LoopPool*> loops_;
  sql::Statistics ended_;  // of loops that have ended
};

}  // namespace tern::postgres
