// Event: coroutines that wait until something has happened.
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

// Set until it is reset: co_await event goes on at once while it is set. Belongs to one loop, and everything but the
// constructor is called there; another thread has that loop do it: executor.post([&event] { event.set(); }). Outlives
// those who wait for it.
class Event {
public:
  Event() noexcept = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_set() const noexcept { return set_; }
  // All who wait go on, at their turn, in the order in which they came, even if it is reset before that.
  void set() noexcept;
  void reset() noexcept { set_ = false; }

  struct [[nodiscard]] Wait {
    coro::EventWait operator co_await() const noexcept { return coro::EventWait(event); }
    Event& event;
  };
  // Ends with Cancelled when the coroutine is stopped. For combinations: with_timeout(d, event.wait()).
  Wait wait() noexcept { return {*this}; }
  coro::EventWait operator co_await() noexcept { return coro::EventWait(*this); }

private:
  friend class coro::EventWait;
  coro::List<coro::EventWait> waiting_;
  bool set_ = false;
};

}  // namespace tern
