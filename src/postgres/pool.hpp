// LoopPool: the connections of one loop, and what waits for them.
//
// Statements outside of transactions share connections: each goes to the first that has room, so that those of one
// iteration leave in one write, and the others stay idle. A connection whose answer is overdue gets no further ones.
// Leases take a connection that nothing is sent on. The coroutine that has waited longest is the next.
#pragma once

#include "base/backoff.hpp"
#include "postgres/connecting.hpp"
#include "postgres/connection.hpp"
#include "postgres/lease.hpp"
#include "postgres/loop_statistics.hpp"
#include "postgres/statement.hpp"

#include <tern/coro/executor.hpp>
#include <tern/coro/list.hpp>
#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace tern::postgres {

class PostgresDriver;

class LoopPool final : public Attachment, private Connection::Owner, private Turn, private Timer {
public:
  LoopPool(PostgresDriver& driver, Executor& executor);
  // On the loop's thread, or while it does not run. Waiting coroutines are not resumed.
  ~LoopPool();

  // Sends the statement, or queues it. Throws SqlError, Overloaded and std::bad_alloc; then it does not wait.
  void start(StatementWait& wait);
  // False if the lease is given at once.
  bool enter(LeaseWait& wait);
  void give_back(Connection& connection) noexcept;
  void forget_waiting() noexcept;

  // There are no handles of the database any more.
  void end() noexcept;
  void on_executor_end() noexcept override { delete this; }

  Executor& executor() const noexcept { return executor_; }
  PostgresDriver& driver() const noexcept { return driver_; }
  const LoopStatistics& statistics() const noexcept { return statistics_; }

private:
  struct CancelJob {
    CancelHandle handle;
    std::uint64_t connection;  // its number
  };

  void on_progress(Connection& connection) noexcept override;
  void on_lost(Connection& connection, const std::exception_ptr& error) noexcept override;
  void cancel(Connection& connection) noexcept override;
  void on_notification(std::string_view, std::string_view, int) override {}
  void on_turn() noexcept override;
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "PostgreSQL pool"}; }

  Connection* pick() noexcept;
  Connection* pick_idle() noexcept;
  bool has_room(const Connection& connection) const noexcept;
  bool is_idle(const Connection& connection) const noexcept;
  void dispatch();
  bool dispatch_statement();
  bool dispatch_lease();
  void reserve() noexcept;
  void settle(Connection& connection) noexcept;
  void check_room();
  void fail_waiting(const std::exception_ptr& error) noexcept;
  void expire(std::uint64_t now) noexcept;
  void sweep(std::uint64_t now) noexcept;
  void remove_ended() noexcept;
  void count(Connection& connection) noexcept;
  void schedule() noexcept;
  void schedule_timer(std::uint64_t due) noexcept;

  // Connecting
  bool needs_connection() const noexcept;
  std::size_t open_connections() const noexcept;
  void grow() noexcept;
  Task<> run_attempts();
  Task<std::string> attempt();
  void adopt(std::unique_ptr<Connection> connection);
  Task<> run_cancels();

  std::uint64_t now() const noexcept { return executor_.timers().now(); }

  PostgresDriver& driver_;
  const PostgresOptions& options_;
  Executor& executor_;
  LoopStatistics statistics_;
  std::vector<std::unique_ptr<Connection>> connections_;
  coro::List<StatementWait> statements_;
  coro::List<LeaseWait> leases_;
  std::size_t waiting_ = 0;  // in both lists
  std::uint64_t next_sweep_ = 0;
  std::uint64_t timer_due_ = 0;
  std::uint64_t last_number_ = 0;
  std::uint64_t lost_ = 0;  // connections that were not replaced yet
  base::Backoff backoff_{initial_backoff};
  std::exception_ptr fault_;  // why the last attempt to connect has failed, until one succeeds
  bool connecting_ = false;
  bool cancelling_ = false;
  std::deque<CancelJob> cancels_;
  Task<> connect_task_;  // refer to the members above
  Task<> cancel_task_;
};

}  // namespace tern::postgres
