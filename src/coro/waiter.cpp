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
  if (log_ != nullptr) {
    log_->begin(what());
    enter_log();
  }
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
  if (log_ != nullptr) {
    log_->end(what(), began_);
    if (in_log_ != nullptr) leave_log();
  }
  const ContextScope scope(context_);
  std::exchange(waiting_, nullptr).resume();  // may destroy this
}

void Waiter::enter_log() noexcept {
  older_ = log_->newest_;
  if (older_ != nullptr) older_->in_log_ = &older_;
  log_->newest_ = this;
  in_log_ = &log_->newest_;
}

void Waiter::leave_log() noexcept {
  *in_log_ = older_;
  if (older_ != nullptr) older_->in_log_ = in_log_;
  older_ = nullptr;
  in_log_ = nullptr;
}

// Those that are still noted belong to coroutines that outlive the request.
void WaitLog::reset() noexcept {
  while (newest_ != nullptr) newest_->leave_log();
  *this = {};
}

void Waiter::check() const {
  if (outcome_ == Outcome::Done) return;
  if (outcome_ == Outcome::Stopped) throw Cancelled();
  throw std::logic_error("a coroutine waits on a thread that has no running loop");
}

}  // namespace tern::coro
