#include <tern/coro/stop_token.hpp>

namespace tern {

void StopState::stop() noexcept {
  __atomic_store_n(&stopped_, true, __ATOMIC_RELEASE);
  while (callbacks_ != nullptr) {
    StopCallback* next = callbacks_;
    next->unwatch();
    next->on_stop();  // may destroy itself and others
  }
}

StopState::~StopState() {
  while (callbacks_ != nullptr) callbacks_->unwatch();
}

void StopCallback::watch(StopToken token) noexcept {
  StopState* state = token.state();
  if (state == nullptr || state->stopped()) return;
  next_ = state->callbacks_;
  if (next_ != nullptr) next_->previous_ = &next_;
  previous_ = &state->callbacks_;
  state->callbacks_ = this;
}

void StopCallback::unwatch() noexcept {
  if (previous_ == nullptr) return;
  *previous_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  previous_ = nullptr;
  next_ = nullptr;
}

}  // namespace tern
