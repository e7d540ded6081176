// Executor, its timers, and turns: they run coroutines and callbacks. `net::Loop` implements both interfaces.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/base/function.hpp>
#include <tern/base/mutex.hpp>
#include <tern/coro/list.hpp>
#include <tern/coro/suspended.hpp>
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

// A callback that an executor runs soon. Intrusive: scheduling does not allocate. Destroying it on the executor's
// thread before its turn cancels it.
class Turn : public coro::Hook<Turn> {
public:
  // Called on the executor's thread, directly from its loop and never within another callback.
  virtual void on_turn() noexcept = 0;

protected:
  Turn() noexcept = default;
  ~Turn();

  // Only for turns that are scheduled by the executor's own thread.
  bool scheduled() const noexcept { return executor_ != nullptr; }

private:
  friend class Executor;
  Executor* executor_ = nullptr;  // it is scheduled on this one
};

// What another object keeps for one executor, such as the connection that a database client has on each loop.
class Attachment {
public:
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  // The executor does not run any more, and may be destroyed afterwards: releases all watches and timers. May destroy
  // the attachment.
  virtual void on_executor_end() noexcept = 0;

protected:
  explicit Attachment(const void* owner) noexcept : owner_(owner) {}
  ~Attachment();  // on the executor's thread, or while it does not run

private:
  friend class Executor;
  const void* owner_;
  Attachment* next_ = nullptr;
  Attachment** previous_ = nullptr;  // the pointer that points here; null if it is not attached
};

// How busy an executor is, in nanoseconds of the steady clock. All zero: it does not know.
struct ExecutorLoad {
  std::uint64_t now = 0;
  std::uint64_t woke = 0;  // when it last looked for new events
  std::uint64_t idle = 0;  // for how long it has waited for events, since any time
};

// A thread that runs posted work in order.
class Executor {
public:
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs `work` on the executor's thread, never within this call. May be called from any thread while the executor
  // exists. `work` must not throw. Work that is posted after the executor has stopped is destroyed without running.
  virtual void post(base::Function<void()> work) = 0;

  // The timers of this executor; only on its thread.
  virtual Timers& timers() noexcept = 0;

  // The pool for offload(); null: none.
  virtual Offloader* offloader() noexcept { return nullptr; }

  // The owner of background tasks on this executor, see spawn(); null: none. Only on its thread.
  virtual Scope* background() noexcept { return nullptr; }

  // Watches a descriptor of another library. The handler must outlive the watch, and the watch must not outlive the
  // executor. Null if the executor does not support it. On its thread, or while it does not run.
  virtual base::Box<Watch> watch(int, Watch::Handler&) { return {}; }

  // Only on its thread.
  virtual ExecutorLoad load() const noexcept { return {}; }

  // Keeps the attachment until it is destroyed, or the executor ends. Only on its thread.
  void attach(Attachment& attachment) noexcept;
  // What `owner` has attached to this executor; null: nothing. Only on its thread.
  Attachment* attached(const void* owner) const noexcept;

  // Calls turn.on_turn() once, on the executor's thread, in the order of these calls. A turn that is scheduled by
  // another turn runs after other ready work, such as sockets. From any thread; the turn must not be scheduled yet.
  // Remaining turns of a stopped executor run when it runs again.
  void schedule(Turn& turn) noexcept;

  // Jobs submitted from this thread whose awaits have not ended. The executor must not be destroyed before it is 0: see
  // offload().
  std::size_t outstanding_jobs() const noexcept { return outstanding_jobs_; }

  // Of a server's loop: its number, from 0. Otherwise 0.
  std::size_t index() const noexcept { return index_; }
  // Before it runs.
  void set_index(std::size_t index) noexcept { index_ = index; }

  // The executor of the calling thread, or null. The library's only thread-local variable that is visible to users.
  static Executor* current() noexcept;

protected:
  Executor() = default;
  ~Executor();

  // Makes `executor` (or none, if null) the calling thread's; returns the previous one.
  static Executor* make_current(Executor* executor) noexcept;

  // Releases the attachments. While it does not run; destructors of executors with watches call it first.
  void end_attachments() noexcept;

  // Posts pending turns again. For executors that can be stopped and run again, at the start of a run: a stopped
  // executor loses its posts.
  void resume_turns();

  // Posts a call of run_turns() to this executor's thread. From any thread, at most once until that call begins.
  // Servers' executors implement it without allocating, because there is no way to report a failure.
  virtual void post_turns();
  void run_turns() noexcept;

private:
  friend class Turn;
  friend class coro::JobWait;

  // Removes a scheduled turn, on the executor's thread.
  void cancel(Turn& turn) noexcept;
  // Whether it is scheduled and was not called yet.
  bool scheduled(const Turn& turn) noexcept;
  // Blocks until another thread has scheduled it, and removes it.
  void await_turn(Turn& turn) noexcept;

  base::Mutex turns_mutex_;  // guards the turns, and Turn::executor_
  coro::List<Turn> turns_;
  coro::List<Turn> taken_;  // being called
  unsigned awaiting_ = 0;   // waiting calls of await_turn()
  unsigned arrivals_ = 0;   // turns scheduled meanwhile; await_turn() waits for a change
  std::size_t outstanding_jobs_ = 0;
  std::size_t index_ = 0;
  Attachment* attachments_ = nullptr;
};

// What an armed timer is for. Asked for by those who look at a loop; nothing of it is kept meanwhile.
struct TimerPurpose {
  const char* what = "timer";    // a literal; null: nothing, it will not do anything when it is due
  std::uint64_t due = 0;         // in milliseconds of Timers::now(), if it is later than the timer is armed for
  coro::Suspended waiting = {};  // the coroutine that it resumes
  const char* file = nullptr;    // where it was asked for: App::every()
  std::uint32_t line = 0;
};

// A callback after a delay. Intrusive: arming and disarming do not allocate.
class Timer {
public:
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool armed() const noexcept { return links.previous != nullptr; }

  // Called on the loop's thread when the delay has passed; the timer is disarmed and may be armed again.
  virtual void on_timer() noexcept = 0;

  // On the loop's thread.
  virtual TimerPurpose purpose() const noexcept { return {}; }

  // Owned by the Timers that the timer is armed with.
  struct Links {
    Timer** previous = nullptr;  // the pointer that points here
    Timer* next = nullptr;
    std::uint64_t tick = 0;
  } links;

protected:
  Timer() = default;
  ~Timer() = default;  // must be disarmed
};

// Coarse timers of one loop; only on the loop's thread.
class Timers {
public:
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Milliseconds of a steady clock, read once per iteration of the loop.
  virtual std::uint64_t now() const noexcept = 0;

  // Seconds since 1970-01-01T00:00:00Z: the system's clock. That of a test client advances with now().
  virtual std::int64_t unix_time() const noexcept;

  // Calls `timer` once, after `delay` and up to about 20 ms later. An armed timer is re-armed.
  virtual void arm(Timer& timer, Milliseconds delay) = 0;

  // No effect if it is not armed.
  virtual void disarm(Timer& timer) noexcept = 0;

protected:
  Timers() = default;
  ~Timers() = default;
};

}  // namespace tern
