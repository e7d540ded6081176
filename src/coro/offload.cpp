#include <tern/coro/offload.hpp>

#include <tern/coro/cancelled.hpp>

#include <stdexcept>
#include <utility>

namespace tern::coro {

// Without an executor there is nobody to hold up, and nowhere to come back to.
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
  out_ = true;
  ++executor().jobs_out_;
  if (pool_->submit(priority_, *this)) return true;
  out_ = false;
  --executor().jobs_out_;
  end_ = End::Refused;
  return false;
}

// What has come back, or is being done, is waited for. The pool is asked only while it has the job: when all are back,
// it may be gone.
bool JobWait::leave() noexcept {
  return !executor().scheduled(*this) && pool_->withdraw(*this);
}

void JobWait::on_turn() noexcept {
  out_ = false;
  --executor().jobs_out_;
  Waiter::on_turn();
}

void JobWait::run() noexcept {
  call();
  executor().schedule(*this);  // from here on, the frame may be gone
}

void JobWait::drop() noexcept {
  end_ = End::Dropped;
  executor().schedule(*this);
}

void JobWait::settle() noexcept {
  if (!std::exchange(out_, false)) return;
  if (waits() && !leave()) executor().await_turn(*this);
  --executor().jobs_out_;
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
