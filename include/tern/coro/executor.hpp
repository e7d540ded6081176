// What runs coroutines and callbacks: an executor, and its timers. `net::Loop` implements both.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/base/function.hpp>

#include <cstdint>

namespace tern {

// One thread that runs what is posted to it, in order.
class Executor {
public:
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs `work` on the executor's thread, never inside the call. May be called from any thread while the executor
  // lives. `work` must not throw. Work that is posted after the executor has stopped is destroyed without being run.
  virtual void post(base::Function<void()> work) = 0;

  // The executor whose thread this is, or null. The library's one thread-local variable that is visible to users.
  static Executor* current() noexcept;

protected:
  Executor() = default;
  ~Executor() = default;

  // Makes `executor` (or nobody, if null) the calling thread's; returns the one before.
  static Executor* make_current(Executor* executor) noexcept;
};

// Something that wants to be called once, later. Intrusive: arming and disarming allocate nothing.
class Timer {
public:
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool armed() const noexcept { return links.previous != nullptr; }

  // Called on the loop's thread when the time has come; the timer is disarmed by then and may be armed again.
  virtual void on_timer() noexcept = 0;

  // Belongs to the Timers that the timer is armed with.
  struct Links {
    Timer** previous = nullptr;  // the pointer that points here
    Timer* next = nullptr;
    std::uint64_t tick = 0;
  } links;

protected:
  Timer() = default;
  ~Timer() = default;  // must be disarmed by then
};

// Coarse timers of one loop; used on the loop's thread only.
class Timers {
public:
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Milliseconds on a steady clock, read once for each round of the loop.
  virtual std::uint64_t now() const noexcept = 0;

  // Calls `timer` once, not before `delay` has passed and at most some 20 ms after it. An armed timer is moved.
  virtual void arm(Timer& timer, Milliseconds delay) = 0;

  // Nothing happens when it is not armed.
  virtual void disarm(Timer& timer) noexcept = 0;

protected:
  Timers() = default;
  ~Timers() = default;
};

}  // namespace tern
