#include <tern/coro/waiter.hpp>

#include <tern/coro/context.hpp>
#include <tern/coro/wait_log.hpp>

#include <stdexcept>
#include <utility>

namespace tern::coro {

bool Waiter::wait(std::coroutine_handle<> waiting, StopState* stop) noexcept {
  if (stop != nullptr && stop->stopped()) {
    outcome_ = Outcome::Stopped;
    return false;
  }
  if (ready()) return false;
  executor_ = Executor::current();
  if (executor_ == nullptr) {
    outcome_ = Outcome::NoExecutor;
    return false;
  }
  waiting_ = waiting;
  context_ = Context::current();
  waits_ = true;
  log_ = stop == nullptr ? nullptr : stop->wait_log();
  if (log_ != nullptr) began_ = WaitLog::now();  // first: a job may end before enter() returns
  if (!enter()) {
    waits_ = false;
    return false;
  }
  if (log_ != nullptr) log_->begin(what());
  if (stop != nullptr) watch(StopToken(*stop));
  return true;
}

void Waiter::on_stop() noexcept {
  if (!waits_ || !leave()) return;
  waits_ = false;
  outcome_ = Outcome::Stopped;
  if (!scheduled()) executor_->schedule(*this);
}

void Waiter::wake() noexcept {
  waits_ = false;
  unwatch();
  executor_->schedule(*this);
}

void Waiter::resume() noexcept {
  waits_ = false;
  unwatch();
  if (log_ != nullptr) log_->end(what(), began_);
  const ContextScope scope(context_);
  std::exchange(waiting_, nullptr).resume();  // may destroy this
}

void Waiter::check() const {
  if (outcome_ == Outcome::Done) return;
  if (outcome_ == Outcome::Stopped) throw Cancelled();
  throw std::logic_error("a coroutine waits on a thread that has no running loop");
}

}  // namespace tern::coro
