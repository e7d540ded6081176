#include <tern/coro/event.hpp>

namespace tern {
namespace coro {

bool EventWait::ready() noexcept {
  return event_.is_set();
}

bool EventWait::enter() noexcept {
  event_.waiting_.push(*this);
  return true;
}

bool EventWait::leave() noexcept {
  Hook<EventWait>::unlink();
  return true;
}

}  // namespace coro

void Event::set() noexcept {
  set_ = true;
  while (coro::EventWait* waiting = waiting_.pop()) waiting->wake();
}

}  // namespace tern
