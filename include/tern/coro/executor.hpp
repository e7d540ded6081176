// What runs coroutines and callbacks: an executor, its timers, and turns on it. `net::Loop` implements both interfaces.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/base/function.hpp>
#include <tern/coro/list.hpp>
#include <tern/coro/watch.hpp>

#include <cstddef>
#include <cstdint>

namespace tern {

class Executor;
class Offloader;
class Scope;
class Timers;

namespace coro {
class JobWait;
}

// Something that wants to be called by an executor soon. Intrusive: scheduling allocates nothing. One that is destroyed
// on the executor's thread before its turn is not called.
class Turn : public coro::Hook<Turn> {
public:
  // Called on the executor's thread, straight from its loop and never inside of anybody else's call.
  virtual void on_turn() noexcept = 0;

protected:
  Turn() noexcept = default;
  ~Turn();

  // For turns that only the executor's own thread schedules.
  bool scheduled() const noexcept { return executor_ != nullptr; }

private:
  friend class Executor;
  Executor* executor_ = nullptr;  // that it is scheduled on
};

// One thread that runs what is posted to it, in order.
class Executor {
public:
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs `work` on the executor's thread, never inside the call. May be called from any thread while the executor
  // lives. `work` must not throw. Work that is posted after the executor has stopped is destroyed without being run.
  virtual void post(base::Function<void()> work) = 0;

  // Its timers, for use on its thread.
  virtual Timers& timers() noexcept = 0;

  // Where offload() sends what would hold the executor up; null: there is no such thing.
  virtual Offloader* offloader() noexcept { return nullptr; }

  // The owner of the background tasks that run here, see spawn(); null: there is none. For use on its thread.
  virtual Scope* background() noexcept { return nullptr; }

  // Watches a descriptor of another library's. The handler outlives the watch, and that goes before the executor. Null:
  // this executor watches none. For use on its thread, or while it does not run.
  virtual base::Box<Watch> watch(int, Watch::Handler&) { return {}; }

  // Calls turn.on_turn() once, on the executor's thread, in the order of these calls; those that are scheduled by a
  // turn come after whatever else is ready, such as sockets. From any thread; the turn must not be scheduled already.
  // Turns that are left when the executor stops wait for its next run.
  void schedule(Turn& turn) noexcept;

  // Jobs that were given away from this thread and whose awaits have not ended. An executor with some left must not be
  // destroyed: see offload().
  std::size_t jobs_out() const noexcept { return jobs_out_; }

  // The executor whose thread this is, or null. The library's one thread-local variable that is visible to users.
  static Executor* current() noexcept;

protected:
  Executor() = default;
  ~Executor();

  // Makes `executor` (or nobody, if null) the calling thread's; returns the one before.
  static Executor* make_current(Executor* executor) noexcept;

  // Posts once more what asks for turns. For executors that can be stopped and run again, at the beginning of a run:
  // what was posted in between was lost.
  void resume_turns();

  // Has run_turns() called on this executor's thread. From any thread, at most once until that call has begun. An
  // executor of a server does it without allocating: nothing could be told of a failure.
  virtual void post_turns();
  void run_turns() noexcept;

private:
  friend class Turn;
  friend class coro::JobWait;

  // Takes a turn off, on the executor's thread.
  void cancel(Turn& turn) noexcept;
  // Whether it has been scheduled and not been called yet.
  bool scheduled(const Turn& turn) noexcept;
  // Blocks until another thread has scheduled it, and takes it off.
  void await_turn(Turn& turn) noexcept;

  std::mutex turns_mutex_;  // for the turns, and Turn::executor_
  coro::List<Turn> turns_;
  coro::List<Turn> taken_;  // that are being called
  unsigned awaiting_ = 0;   // calls of await_turn() that wait
  unsigned arrivals_ = 0;   // turns that were scheduled meanwhile; they wait for it to change
  std::size_t jobs_out_ = 0;
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
