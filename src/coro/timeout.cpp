#include <tern/coro/timeout.hpp>

namespace tern::coro {

Deadline::Deadline(StopState& stop, Milliseconds limit) : stop_(stop), executor_(Executor::current()) {
  if (executor_ != nullptr) executor_->timers().arm(*this, limit);
}

Deadline::~Deadline() {
  if (armed()) executor_->timers().disarm(*this);
}

void Deadline::on_timer() noexcept {
  passed_ = true;
  stop_.stop();
}

}  // namespace tern::coro
