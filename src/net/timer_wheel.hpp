// Coarse timers in constant time: a ring of slots, one for each tick of 16 ms. A timer hangs in the slot of its tick;
// one that is further away than the ring is long stays in its slot for as many turns as it takes.
//
// An armed timer that is put off keeps its place: it is moved when its old slot comes up (so that re-arming an idle
// timeout for each request is one store).
#pragma once

#include <tern/coro/executor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::net {

// Knows no clock: the caller says what time it is, in milliseconds, never going back.
class TimerWheel {
public:
  static constexpr std::uint64_t tick_length = 16;
  static constexpr std::size_t slot_count = 1024;

  explicit TimerWheel(std::uint64_t now) noexcept : tick_(now / tick_length) {}
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel();  // disarms what is armed

  void arm(Timer& timer, std::uint64_t now, Milliseconds delay) noexcept;
  void disarm(Timer& timer) noexcept;

  // Calls the timers that are due, tick after tick (within one tick in no particular order). They may arm and disarm
  // any timer; one armed meanwhile is called by a later advance().
  void advance(std::uint64_t now) noexcept;

  // Milliseconds from `now` until advance() has something to look at; negative when nothing is armed.
  int wait(std::uint64_t now) const noexcept;

  // All that are armed, in no order: for diagnosis.
  template <class F>
  void for_each(F call) const {
    for (const Timer* timer : slots_) {
      for (; timer != nullptr; timer = timer->links.next) call(*timer);
    }
  }
  // When an armed timer is due, in milliseconds of the caller's clock.
  static std::uint64_t due(const Timer& timer) noexcept { return timer.links.tick * tick_length; }

private:
  static std::size_t slot_of(std::uint64_t tick) noexcept { return tick % slot_count; }
  void link(Timer& timer) noexcept;
  void unlink(Timer& timer) noexcept;
  void visit(std::size_t slot, std::uint64_t due) noexcept;

  std::uint64_t tick_;  // all ticks up to this one have been visited
  std::array<Timer*, slot_count> slots_{};
  std::array<std::uint64_t, slot_count / 64> occupied_{};  // one bit for each slot that is not empty
};

}  // namespace tern::net
