// One thread's event loop: readiness of descriptors, timers, posted work.
//
// An iteration: wait; refresh the clock; dispatch events to streams and listeners; call the timers that are due; run
// posted work; redeliver unconsumed bytes of resumed streams; call the registered IterationEnd objects; finish closed
// streams.
//
// The seam: nothing outside net/ knows how a loop waits. Streams and listeners report completions (bytes, end, sent,
// closed, accepted).
#pragma once

#include "base/counter.hpp"
#include "base/gate.hpp"
#include "net/buffer_pool.hpp"
#include "net/descriptor.hpp"
#include "net/epoll.hpp"
#include "net/inbox.hpp"
#include "net/stream.hpp"
#include "net/timer_wheel.hpp"

#include <tern/base/function.hpp>
#include <tern/coro/executor.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tern::net {

class Listener;

using base::Counter;

// System calls, wake-ups and the time of a loop so far.
struct Counters {
  // Bounds of `durations`, in nanoseconds; the last counter has no bound.
  static constexpr std::array<std::uint64_t, 8> bounds = {1'000'000,  5'000'000,   10'000'000,  25'000'000,
                                                          50'000'000, 100'000'000, 250'000'000, 1'000'000'000};

  Counter iterations;  // returns from waiting
  Counter receives;    // calls of recv
  Counter sends;       // calls of send or sendmsg
  Counter accepts;     // connections accepted
  Counter watches;     // calls of Epoll::add, change and remove
  Counter wakes;       // writes to the eventfd, counted where they arrive
  Counter polls;       // times of busy polling before a sleep
  // From the return from waiting to the next wait: an event that comes meanwhile waits for so long.
  Counter busy;  // nanoseconds
  std::array<Counter, bounds.size() + 1> durations;
};

// Called once at the end of an iteration, when registered by Loop::at_iteration_end(): collected output is sent there.
class IterationEnd {
public:
  IterationEnd(const IterationEnd&) = delete;
  IterationEnd& operator=(const IterationEnd&) = delete;

  virtual void on_iteration_end() noexcept = 0;

protected:
  IterationEnd() = default;
  ~IterationEnd();  // takes itself off the list

private:
  friend class Loop;
  IterationEnd** previous_ = nullptr;  // the pointer that points here; null when not on the list
  IterationEnd* following_ = nullptr;
};

class Loop final : public Executor, public Timers {
public:
  Loop();   // throws std::system_error when the kernel gives no epoll instance or no eventfd
  ~Loop();  // not while it runs; streams that were closed get their on_closed(), open ones must not be left

  // Serves until stop(). The calling thread is the loop's until it returns: Executor::current() is this loop, block
  // pools are on, and SIGPIPE is blocked. May be called again, from another thread too. Streams that were closed have
  // had their on_closed() when it returns; open ones stay open.
  void run();

  // From any thread: run() returns after the current iteration and after work that was posted before. A stop() before
  // the first run() makes that one return at once; after run() has returned, it does nothing.
  void stop();

  // Does not block. Work posted after stop() is destroyed unrun, by the thread that posts it, until run() is called
  // again.
  void post(base::Function<void()> work) override;

  Timers& timers() noexcept override { return *this; }
  Offloader* offloader() noexcept override { return offloader_; }
  // Where offload() goes from this loop. Set before run(); the pool must outlive the loop.
  void set_offloader(Offloader* offloader) noexcept { offloader_ = offloader; }
  Scope* background() noexcept override { return background_; }
  // Where spawn() goes on this loop. Set before run().
  void set_background(Scope* scope) noexcept { background_ = scope; }

  base::Box<Watch> watch(int descriptor, Watch::Handler& handler) override;
  using Executor::end_attachments;

  std::uint64_t now() const noexcept override { return now_; }
  void arm(Timer& timer, Milliseconds delay) override { wheel_.arm(timer, now_, delay); }
  void disarm(Timer& timer) noexcept override { wheel_.disarm(timer); }

  // `hook` is called by run() with the seconds since 1970 before anything else, and then at the start of each iteration
  // in which they have changed; an idle loop is not woken for it. Set before run().
  void every_second(base::Function<void(std::int64_t)> hook) { second_hook_ = std::move(hook); }

  // Busy polling: for how many microseconds the loop polls before it sleeps, while its sleeps are shorter than that.
  // Zero, the default, is off; more than a tick of the timers counts as one. Before run(), or on the loop's thread.
  void set_busy_poll(unsigned microseconds) noexcept;

  // Calls `callback` once, at the end of this iteration (of the next one, when called from there).
  void at_iteration_end(IterationEnd& callback) noexcept;

  // Buffers for large content.
  BufferPool& buffer_pool() noexcept { return buffer_pool_; }

  const Counters& counters() const noexcept { return counters_; }
  ExecutorLoad load() const noexcept override;
  // Whether it waits for events, with nothing to do. From any thread.
  bool is_waiting() const noexcept { return sleeping_.load(std::memory_order_relaxed); }
  // When this iteration began, in nanoseconds of the steady clock.
  std::uint64_t woke() const noexcept { return woke_; }
  // Streams between open() and on_closed().
  std::size_t streams() const noexcept { return streams_; }
  // On the loop's thread, for diagnosis.
  const TimerWheel& armed_timers() const noexcept { return wheel_; }
  // The same: functions that were posted and have not begun, counted up to 100,000. Also in a handler of a signal that
  // interrupts run().
  std::size_t posted() const noexcept { return inbox_.count(100'000); }

private:
  friend class Stream;
  friend class Listener;

  void post_turns() override;

  static constexpr std::size_t receive_size = 256 * 1024;

  struct Wake final : Watched {
    explicit Wake(Loop& owner) : loop(owner) {}
    void on_ready(std::uint32_t events) override;
    Loop& loop;
    Descriptor event;
  };

  // A queue of streams, linked through Stream::next_.
  struct StreamList {
    void push(Stream& stream) noexcept;
    Stream* pop() noexcept;
    Stream* first = nullptr;
    Stream* last = nullptr;
  };

  bool iterate();  // false when it is time to stop
  void read_clocks();
  void count_busy(std::uint64_t nanoseconds) noexcept;
  void wait() noexcept;
  bool busy_poll() noexcept;
  void sleep() noexcept;
  void wake() noexcept;
  void redeliver_resumed();
  void end_iteration() noexcept;
  void finish_closed();
  void finish_all_closed();

  // For streams and listeners.
  void stream_finished() noexcept;  // a descriptor has become free
  // Where recv() writes: `receive_size` bytes, with as many in front and padding behind.
  char* received() noexcept { return buffer_.get() + receive_size; }

  Epoll epoll_;
  Wake wake_;
  std::uint64_t now_;
  std::uint64_t woke_ = 0;   // nanoseconds; 0: waits
  std::uint64_t began_ = 0;  // run(), less what it was busy before
  std::int64_t second_ = 0;
  TimerWheel wheel_;
  BufferPool buffer_pool_{*this};
  Counters counters_;
  std::unique_ptr<char[]> buffer_;
  StreamList resumed_;
  StreamList closing_;
  IterationEnd* iteration_ends_ = nullptr;
  IterationEnd* ending_ = nullptr;  // of those, while they are called
  std::uint64_t busy_poll_ = 0;     // nanoseconds
  bool slept_briefly_ = false;      // less than that
  Offloader* offloader_ = nullptr;
  Scope* background_ = nullptr;
  std::vector<Listener*> waiting_for_descriptor_;  // listeners that wait for a free descriptor
  std::size_t streams_ = 0;
  base::Function<void(std::int64_t)> second_hook_;
  bool stopped_ = false;  // run() has returned

  std::atomic<bool> turns_posted_ = false;
  Inbox::Standing turns_;               // runs them
  Inbox inbox_;                         // what was posted; closed by stop()
  std::atomic<bool> sleeping_ = false;  // the loop waits, or is about to, and must be woken
  base::Gate callers_;                  // the threads in post() and stop(), which the destructor waits for
};

}  // namespace tern::net
