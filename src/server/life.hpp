// Start and end of a server.
//
// Lifecycle of a server: clients can connect, but no connection is accepted until on_start has ended on the first loop;
// then every worker opens. A drain ends each worker's requests, the work after them and then its background tasks; when
// the last worker has finished, on_stop runs on the first loop, and afterwards all loops end together, so that each
// accepts posted work until then. A start that fails or is stopped early has no on_stop.
#pragma once

#include <tern/base/function.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace tern::server {

class Worker;

// Hooks around serving.
struct Hooks {
  base::Function<Task<>()> on_start = {};  // on the first loop; an exception ends the server
  base::Function<Task<>()> on_stop = {};   // on the first loop; must not throw
  base::Function<void()> on_serving = {};  // on_start has succeeded; by the first loop, or by start() without on_start
  base::Function<void()> on_ended = {};    // called by the last loop that ends
  base::Function<void()> on_cleared = {};  // after all loops have ended and their waiting coroutines were destroyed
};

class Life final : private Timer {
public:
  explicit Life(std::vector<std::unique_ptr<Worker>>& workers) noexcept : workers_(workers) {}
  ~Life();

  // Before the loops run.
  void prepare(Hooks hooks);
  // When all loops run.
  void begin();
  // Blocks until on_start has ended; throws its exception, or Cancelled if it was stopped. Not from a loop's thread.
  void await_start();

  // Whether on_start has succeeded. Thread-safe.
  bool is_serving();

  // From a worker's thread, once each: it has no work left.
  void worker_drained();
  // On the first loop, when a drain begins: limits on_stop to that time, but to at least a moment.
  void limit_on_stop(Milliseconds timeout);
  // By the last loop that ends.
  void ended();
  // After all have: destroys waiting coroutines.
  void clear() noexcept { stopping_ = {}; }
  // After the workers have done the same.
  void cleared() {
    if (hooks_.on_cleared) hooks_.on_cleared();
  }

private:
  enum class State : std::uint8_t { Starting, Serving, Failed };

  Task<> start();
  void started(State state, std::exception_ptr error);
  void stop();
  void end();
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "on_stop"}; }

  std::vector<std::unique_ptr<Worker>>& workers_;
  Hooks hooks_;
  std::mutex mutex_;  // for the next three
  std::condition_variable changed_;
  State state_ = State::Starting;
  std::exception_ptr error_;
  std::atomic<std::size_t> drained_workers_ = 0;  // workers
  // On the first loop.
  std::uint64_t deadline_ = 0;
  StopState stop_;
  Task<> stopping_;  // refers to stop_
};

}  // namespace tern::server
