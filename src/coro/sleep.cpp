#include <tern/coro/sleep.hpp>

namespace tern::coro {

SleepWait::~SleepWait() {
  if (armed()) executor().timers().disarm(*this);
}

bool SleepWait::enter() noexcept {
  if (delay_ > Milliseconds(0)) {
    executor().timers().arm(*this, delay_);
  } else {
    executor().schedule(*this);
  }
  return true;
}

bool SleepWait::leave() noexcept {
  if (armed()) executor().timers().disarm(*this);
  return true;
}

}  // namespace tern::coro
