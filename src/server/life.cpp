#include "server/life.hpp"

#include "server/retry_without_memory.hpp"
#include "server/worker.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/scope.hpp>

#include <algorithm>
#include <utility>

namespace tern::server {
namespace {

constexpr Milliseconds last_moment =
    Seconds(1);  // for the end of a failed start, and for on_stop when the drain has used up its time

}  // namespace

Life::~Life() {
  if (armed()) workers_.front()->loop().disarm(*this);
}

void Life::prepare(Hooks hooks) {
  hooks_ = std::move(hooks);
  if (!hooks_.on_start) return;
  for (const auto& worker : workers_) worker->hold();
}

void Life::begin() {
  if (!hooks_.on_start) return started(State::Serving, {});
  Worker& first = *workers_.front();
  first.loop().post([this, &first] {
    Task<> task = start();
    task.set_stop(&first.drain_state());
    spawn(std::move(task));
  });
}

Task<> Life::start() {
  std::exception_ptr error;
  try {
    if (workers_.front()->draining()) throw Cancelled();
    co_await hooks_.on_start();
  } catch (...) {
    error = std::current_exception();
  }
  if (error) {
    for (const auto& worker : workers_) worker->drain(last_moment);
    started(State::Failed, error);
    co_return;
  }
  started(State::Serving, {});  // before any worker answers, so that a client with an answer can rely on is_serving()
  for (const auto& worker : workers_) worker->open();
}

void Life::started(State state, std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::Starting) return;
    state_ = state;
    error_ = std::move(error);
  }
  changed_.notify_all();
  if (state == State::Serving && hooks_.on_serving) hooks_.on_serving();
}

void Life::await_start() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return state_ != State::Starting; });
  if (state_ == State::Serving) return;
  if (error_) std::rethrow_exception(error_);
  throw Cancelled();
}

void Life::worker_drained() {
  if (++drained_workers_ == workers_.size()) {
    workers_.front()->loop().post([this] { stop(); });
  }
}

bool Life::is_serving() {
  const std::lock_guard lock(mutex_);
  return state_ == State::Serving;
}

void Life::stop() {
  if (!is_serving() || !hooks_.on_stop) return end();
  Worker& first = *workers_.front();
  const Milliseconds time = std::max(first.time_to_drain(), last_moment);
  deadline_ = first.loop().now() + static_cast<std::uint64_t>(time.count());
  first.loop().arm(*this, time);
  stopping_ = retry_without_memory([this] { return hooks_.on_stop(); });  // nothing else is left to do on this loop
  stopping_.set_stop(&stop_);
  const auto call = [](void* self) { static_cast<Life*>(self)->end(); };
  if (stopping_.start(call, this)) end();
}

void Life::limit_on_stop(Milliseconds timeout) {
  if (!armed()) return;
  net::Loop& loop = workers_.front()->loop();
  const Milliseconds time = std::max(timeout, last_moment);
  const std::uint64_t deadline = loop.now() + static_cast<std::uint64_t>(time.count());
  if (deadline >= deadline_) return;
  deadline_ = deadline;
  loop.arm(*this, time);
}

// Waiting coroutines are resumed with Cancelled before the loop ends; those that wait again are destroyed with this.
void Life::on_timer() noexcept {
  stop_.stop();
  end();
}

void Life::end() {
  workers_.front()->loop().disarm(*this);
  for (const auto& worker : workers_) worker->loop().stop();
}

void Life::ended() {
  started(State::Failed, {});  // if the start did not get that far
  if (hooks_.on_ended) hooks_.on_ended();
}

}  // namespace tern::server
