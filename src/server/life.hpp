// How serving begins and ends.
//
// Life of a server: clients can connect, but nobody is accepted until on_start has ended on the first loop; then every
// worker opens. A drain ends each worker's requests, the work after them and then its background tasks; when the last
// worker is quiet, on_stop runs on the first loop, and when that has ended, all loops do. They end together, so that
// until then each can be posted to. A start that fails or is stopped before its end has no on_stop.
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

// What whoever puts a server together wants to be done around the serving.
struct Hooks {
  base::Function<Task<>()> on_start = {};  // on the first loop; what it throws ends the server
  base::Function<Task<>()> on_stop = {};   // on the first loop; throws nothing
  base::Function<void()> on_ended = {};    // called by the last loop that ends
  base::Function<void()> on_cleared = {};  // when no loop runs and what still waited there has been destroyed
};

class Life final : private Timer {
public:
  explicit Life(std::vector<std::unique_ptr<Worker>>& workers) noexcept : workers_(workers) {}
  ~Life();

  // Before the loops run.
  void prepare(Hooks hooks);
  // When all of them do.
  void begin();
  // Blocks until on_start has ended; throws what it threw, or Cancelled when it was stopped. Not from a loop's thread.
  void await_start();

  // From a worker's thread, once each: nothing is left there that would have to be waited for.
  void worker_is_quiet();
  // On the first loop, when a drain begins: on_stop has no more time than that, but always a moment.
  void hurry(Milliseconds timeout);
  // By the last loop that ends.
  void ended();
  // When all have: destroys what still waits.
  void clear() noexcept { stopping_ = {}; }
  // And the workers have done the same.
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

  std::vector<std::unique_ptr<Worker>>& workers_;
  Hooks hooks_;
  std::mutex mutex_;  // for the next three
  std::condition_variable changed_;
  State state_ = State::Starting;
  std::exception_ptr error_;
  std::atomic<std::size_t> quiet_ = 0;  // workers
  // On the first loop.
  std::uint64_t deadline_ = 0;
  StopState stop_;
  Task<> stopping_;  // refers to stop_
};

}  // namespace tern::server
