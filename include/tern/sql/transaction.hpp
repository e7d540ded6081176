// Transactions that end with the function that uses them.
#pragma once

#include <tern/coro/awaitable.hpp>
#include <tern/coro/offload.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sql/queries.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace tern::sql {

class Transaction;

namespace detail {

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<Task<T>> = true;

// The type that f's task returns.
template <class F>
struct TransactionFunction {
  using Result = std::invoke_result_t<F&, Transaction&>;
  static_assert(is_task<Result>, "tern: transaction() takes a coroutine that returns a tern::Task<…>");
  using Made = typename Result::value_type;
};

template <class F>
inline constexpr bool usable = coro::SafelyAwaited<F>;

// A value or nothing, from a task.
template <class T>
struct TaskValue {
  std::optional<T> value;
  Task<> take(Task<T> task) { value.emplace(co_await std::move(task)); }
  T result() { return std::move(*value); }
};
template <>
struct TaskValue<void> {
  Task<> take(Task<> task) { return task; }
  void result() noexcept {}
};

}  // namespace detail

// A transaction that has begun. One statement at a time: another throws std::logic_error.
class Transaction final : public Queries {
public:
  explicit Transaction(base::Box<TransactionDriver> driver) noexcept : driver_(std::move(driver)) {}

  // A savepoint: if f throws or is cancelled, what it has changed is undone, and the transaction can go on.
  template <class F>
  auto transaction(F&& f) {
    static_assert(detail::usable<F>, "tern: this GCC destroys what such a lambda captures twice: give it a name");
    return nested<typename detail::TransactionFunction<F>::Made>(*this, std::forward<F>(f));
  }

  // For drivers.
  TransactionDriver& transaction_driver() const noexcept { return *driver_; }

  // For Database. `work` has run, with this error or none: commits, or rolls back and rethrows. False: it shall be run
  // again.
  Task<bool> end(std::exception_ptr error, bool may_repeat);

private:
  // Fails the transaction if a savepoint in it was neither released nor rolled back.
  class Savepoint {
  public:
    explicit Savepoint(Transaction& transaction) noexcept : transaction_(transaction) { ++transaction.depth_; }
    Savepoint(const Savepoint&) = delete;
    Savepoint& operator=(const Savepoint&) = delete;
    ~Savepoint();
    Task<> begin();
    Task<> end(std::exception_ptr error);

  private:
    Transaction& transaction_;
    bool open_ = false;
  };

  template <class T, class F>
  static Task<T> nested(Transaction& transaction, F f) {
    Savepoint savepoint(transaction);
    co_await savepoint.begin();
    detail::TaskValue<T> value;
    std::exception_ptr error;
    try {
      co_await value.take(f(transaction));
    } catch (...) {
      error = std::current_exception();
    }
    co_await uncancelled(savepoint.end(std::move(error)));
    co_return value.result();
  }

  Driver& driver() const override { return *driver_; }

  base::Box<TransactionDriver> driver_;
  unsigned depth_ = 0;
};

namespace detail {

// As those of the drivers; each is a step of the trace, if the request has one.
Task<base::Box<TransactionDriver>> begin(DatabaseDriver& driver, TransactionOptions options);
Task<> commit(TransactionDriver& driver);
Task<> rollback(TransactionDriver& driver);

// Waits before a transaction is run again; not on a thread without a loop.
Task<> pause_before_retry(unsigned attempt);

template <class T, class F>
Task<T> in_transaction(DatabaseDriver& driver, TransactionOptions options, F f) {
  for (unsigned attempt = 0;; ++attempt) {
    TaskValue<T> value;
    {
      Transaction transaction(co_await begin(driver, options));
      std::exception_ptr error;
      try {
        co_await value.take(f(transaction));
      } catch (...) {
        error = std::current_exception();
      }
      const bool committed = co_await uncancelled(transaction.end(std::move(error), attempt < options.retries));
      if (committed) co_return value.result();
    }
    co_await pause_before_retry(attempt);
  }
}

}  // namespace detail
}  // namespace tern::sql

namespace tern {
using sql::Transaction;
}
