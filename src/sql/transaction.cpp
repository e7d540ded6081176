#include <tern/coro/executor.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/transaction.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace tern::sql {

namespace {

bool is_of_concurrency(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const SqlError& failure) {
    return failure.kind() == SqlErrorKind::Serialization || failure.kind() == SqlErrorKind::Deadlock;
  } catch (...) {
    return false;
  }
}

constexpr std::int64_t first_pause = 2;  // milliseconds; doubles
constexpr unsigned max_doublings = 7;

}  // namespace

// A rollback that fails is repeated by the driver's destructor, which does not fail.
Task<bool> Transaction::end(std::exception_ptr error, bool may_repeat) {
  const bool failed_before_commit = error != nullptr;
  try {
    if (!failed_before_commit) co_await detail::commit(*driver_);
  } catch (...) {
    error = std::current_exception();
  }
  if (!error) co_return true;
  try {
    if (failed_before_commit) co_await detail::rollback(*driver_);
  } catch (...) {
    driver_.reset();
  }
  if (may_repeat && is_of_concurrency(error)) co_return false;
  std::rethrow_exception(std::move(error));
}

namespace detail {

// With jitter, so that those that have met do not meet again.
Task<> pause_before_retry(unsigned attempt) {
  if (Executor::current() == nullptr) co_return;
  const std::int64_t longest = first_pause << std::min(attempt, max_doublings);
  std::random_device random;
  std::uniform_int_distribution<std::int64_t> pause(longest / 2, longest);
  co_await sleep_for(Milliseconds(pause(random)));
}

}  // namespace detail

Task<> Transaction::Savepoint::begin() {
  open_ = true;  // even if it fails, perhaps after the database has begun it
  const std::string name = std::to_string(transaction_.depth_);
  co_await transaction_.script(runtime("savepoint tern_" + name));
}

Task<> Transaction::Savepoint::end(std::exception_ptr error) {
  const std::string name = std::to_string(transaction_.depth_);
  try {
    if (error) co_await transaction_.script(runtime("rollback to tern_" + name));
    co_await transaction_.script(runtime("release tern_" + name));
    open_ = false;
  } catch (...) {
    if (!error) throw;
  }
  if (error) std::rethrow_exception(std::move(error));
}

Transaction::Savepoint::~Savepoint() {
  --transaction_.depth_;
  if (open_) transaction_.driver_->fail();
}

}  // namespace tern::sql
