// Event: lets coroutines wait for an occurrence.
#pragma once

#include <tern/coro/waiter.hpp>

namespace tern {

class Event;

namespace coro {

class EventWait final : public Waiter, public Hook<EventWait> {
public:
  explicit EventWait(Event& event) noexcept : event_(event) {}
  void await_resume() const { check(); }

private:
  friend class tern::Event;
  bool ready() noexcept override;
  bool enter() noexcept override;
  bool leave() noexcept override;
  Event& event_;
};

}  // namespace coro

// Stays set until reset: co_await returns at once while it is set. Belongs to one loop: everything except the
// constructor is called there; other threads post to it: executor.post([&event] { event.set(); }). Must outlive all
// waits.
class Event {
public:
  Event() noexcept = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_set() const noexcept { return set_; }
  // Resumes all waiting coroutines at their turns, in the order of waiting, even if the event is reset before.
  void set() noexcept;
  void reset() noexcept { set_ = false; }
  // The coroutine that has waited longest.
  coro::Suspended awaited_by() const noexcept {
    const coro::EventWait* const first = waiting_.front();
    return first == nullptr ? coro::Suspended() : coro::Suspended{first->waiting(), first->waiting_is_task()};
  }

  struct [[nodiscard]] Wait {
    coro::EventWait operator co_await() const noexcept { return coro::EventWait(event); }
    Event& event;
  };
  // Throws Cancelled if the coroutine is stopped. For combinations: with_timeout(d, event.wait()).
  Wait wait() noexcept { return {*this}; }
  coro::EventWait operator co_await() noexcept { return coro::EventWait(*this); }

private:
  friend class coro::EventWait;
  coro::List<coro::EventWait> waiting_;
  bool set_ = false;
};

}  // namespace tern
