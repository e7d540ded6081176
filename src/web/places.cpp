#include "web/places.hpp"

namespace tern::web {

Place::~Place() {
  if (places_ != nullptr) places_->give_back();
}

Place Places::try_take() noexcept {
  const std::lock_guard lock(mutex_);
  if (free_ == 0) return {};
  --free_;
  return Place(*this);
}

// False: it has a place, or there is no room.
bool Places::enter(PlaceWait& wait) noexcept {
  const std::lock_guard lock(mutex_);
  if (free_ != 0) {
    --free_;
    wait.has_place_ = true;
    return false;
  }
  if (queue_ == 0) return false;
  --queue_;
  waiting_.push(wait);
  return true;
}

// False: it has a place already.
bool Places::leave(PlaceWait& wait) noexcept {
  const std::lock_guard lock(mutex_);
  if (!wait.coro::Hook<PlaceWait>::linked()) return false;
  wait.coro::Hook<PlaceWait>::unlink();
  ++queue_;
  return true;
}

// Scheduled under the lock: ~PlaceWait() takes it before the frame is gone.
void Places::give_back() noexcept {
  const std::lock_guard lock(mutex_);
  PlaceWait* const next = waiting_.pop();
  if (next == nullptr) {
    ++free_;
    return;
  }
  ++queue_;
  next->has_place_ = true;
  next->executor().schedule(*next);
}

}  // namespace tern::web
