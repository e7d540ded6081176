#include <tern/coro/offload.hpp>

#include <tern/coro/cancelled.hpp>
#include <tern/coro/context.hpp>
#include <tern/coro/wait_log.hpp>

#include <stdexcept>
#include <utility>

namespace tern::coro {

// Without an executor, there is nothing to block, and nowhere to resume.
bool JobWait::ready() noexcept {
  Executor* executor = Executor::current();
  if (executor == nullptr) {
    call();
    return true;
  }
  if (pool_ == nullptr) pool_ = executor->offloader();
  if (pool_ == nullptr) end_ = End::NoPool;
  return pool_ == nullptr;
}

bool JobWait::enter() noexcept {
  submitted_ = true;
  what_ = pool_->what();
  ++executor().outstanding_jobs_;
  if (pool_->submit(priority_, *this)) return true;
  submitted_ = false;
  --executor().outstanding_jobs_;
  end_ = End::Refused;
  return false;
}

// A job that has ended or is running is awaited. The pool is called only while it has the job: afterwards it may be
// destroyed.
bool JobWait::leave() noexcept {
  return !executor().scheduled(*this) && pool_->withdraw(*this);
}

void JobWait::on_turn() noexcept {
  submitted_ = false;
  --executor().outstanding_jobs_;
  if (wait_log() != nullptr && place.waited != 0) wait_log()->add("pool queue", place.waited);
  Waiter::on_turn();
}

void JobWait::run() noexcept {
  {
    const ContextScope scope(context());
    call();
  }
  executor().schedule(*this);  // the frame may be destroyed from here on
}

void JobWait::drop() noexcept {
  end_ = End::Dropped;
  executor().schedule(*this);
}

void JobWait::join_job() noexcept {
  if (!std::exchange(submitted_, false)) return;
  if (waits() && !leave()) executor().await_turn(*this);
  --executor().outstanding_jobs_;
}

void JobWait::check() const {
  switch (end_) {
    case End::Done: return Waiter::check();
    case End::Refused: throw Overloaded();
    case End::Dropped: throw Cancelled();
    case End::NoPool: throw std::logic_error("a function is offloaded on a loop that has no pool");
  }
}

}  // namespace tern::coro
