// StatementWait: the wait of a coroutine for one statement, from the pool's queue to the end of its result.
#pragma once

#include "postgres/receiver.hpp"
#include "sql/counters.hpp"

#include <tern/coro/list.hpp>
#include <tern/coro/waiter.hpp>
#include <tern/sql/driver.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {

struct Slot;
class Connection;
class LoopPool;

// A portal: a result that is read in parts, within a transaction ("Extended Query").
struct Portal {
  std::string name;
  Prepared* prepared = nullptr;  // once it is open
  unsigned max_rows = 0;         // of the next part
  bool suspended = false;        // there is more
};

class StatementWait final : public coro::Waiter, public coro::Hook<StatementWait>, private Receiver {
public:
  // By any connection of the pool; `call` and `rows` must outlive the wait. `rows` may be null.
  StatementWait(LoopPool& pool, sql::Counters& counters, const sql::Call& call, sql::RowReader* rows) noexcept
      : pool_(&pool), counters_(counters), call_(&call), rows_(rows) {}
  // By this one. `portal` may be null.
  StatementWait(Connection& connection, sql::Counters& counters, const sql::Call& call, sql::RowReader* rows,
                Portal* portal = nullptr) noexcept
      : connection_(&connection), counters_(counters), call_(&call), rows_(rows), portal_(portal) {}
  // Several at once, by any connection or this one: all of them or none.
  StatementWait(LoopPool& pool, sql::Counters& counters, sql::Steps steps) noexcept
      : pool_(&pool), counters_(counters), steps_(steps) {}
  StatementWait(Connection& connection, sql::Counters& counters, sql::Steps steps) noexcept
      : connection_(&connection), counters_(counters), steps_(steps) {}
  ~StatementWait();

  // The number of rows that were changed.
  std::int64_t await_resume();

private:
  friend class Connection;
  friend class LoopPool;

  const char* what() const noexcept override { return "database"; }
  bool ready() noexcept override { return false; }
  bool enter() noexcept override;
  bool leave() noexcept override;

  void on_row(std::span<const sql::Column> columns, std::span<const sql::Value> values) noexcept override;
  void on_columns(std::span<const sql::Column> columns) noexcept override;
  void on_suspended() noexcept override;
  void on_complete(std::string_view tag) noexcept override;
  void on_error(const SqlError& error) noexcept override;
  void on_ready() noexcept override;
  void on_lost(const std::exception_ptr& error) noexcept override;
  void on_detached() noexcept override { slot_ = nullptr; }

  // Ends the wait with an exception.
  void fail(std::exception_ptr error) noexcept;
  bool may_repeat() const noexcept { return !repeated_ && (!has_rows_ || !steps_.empty()); }
  // To be sent again.
  void rewind() noexcept;
  sql::RowReader* reader() const noexcept { return step_ < steps_.size() ? steps_[step_]->rows : rows_; }

  LoopPool* pool_ = nullptr;
  Connection* connection_ = nullptr;
  Slot* slot_ = nullptr;  // once it is sent
  sql::Counters& counters_;
  const sql::Call* call_ = nullptr;  // null: `steps_`
  sql::RowReader* rows_ = nullptr;
  Portal* portal_ = nullptr;
  sql::Steps steps_;
  std::size_t step_ = 0;           // that is answered next
  std::vector<Prepared*> pinned_;  // of the steps, until they are sent
  std::uint64_t since_ = 0;        // milliseconds; in the queue of the pool
  std::int64_t changed_ = 0;
  std::exception_ptr error_;
  bool has_columns_ = false;
  bool has_rows_ = false;
  bool enough_ = false;    // no further row is wanted
  bool repeated_ = false;  // sent for the second time
};

struct TextResult {
  std::int64_t changed = 0;
  bool rolled_back = false;  // the last statement was a ROLLBACK, or a COMMIT that became one
};

// The wait for the end of a text of statements by the simple protocol, such as BEGIN or a script.
class TextWait final : public coro::Waiter, private Receiver {
public:
  TextWait(Connection& connection, std::string_view text) noexcept : connection_(connection), text_(text) {}
  ~TextWait();

  TextResult await_resume();

private:
  const char* what() const noexcept override { return "database"; }
  bool ready() noexcept override { return false; }
  bool enter() noexcept override;
  bool leave() noexcept override;
  void on_complete(std::string_view tag) noexcept override;
  void on_error(const SqlError& error) noexcept override;
  void on_ready() noexcept override;
  void on_lost(const std::exception_ptr& error) noexcept override;
  void on_detached() noexcept override { slot_ = nullptr; }

  Connection& connection_;
  std::string_view text_;
  Slot* slot_ = nullptr;
  std::int64_t changed_ = 0;
  std::exception_ptr error_;
  bool rolled_back_ = false;
};

}  // namespace tern::postgres
