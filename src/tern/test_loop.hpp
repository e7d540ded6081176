// The test client's loop: an executor that runs on demand, a clock that advances only when a coroutine waits for it,
// and no threads. Where another library waits for a socket, the loop waits for it in real time.
#pragma once

#include <tern/base/function.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tern::testing {

class TestLoop final : public Executor, public Timers, private Offloader {
public:
  TestLoop() : background_([this](const std::exception_ptr& error) { report("a background task failed", error); }) {}
  // Stops the background tasks and lets them end, as far as they can without time.
  ~TestLoop();

  // Makes a TestLoop the thread's executor.
  class Use {
  public:
    explicit Use(TestLoop& loop) : before_(make_current(&loop)) {}
    ~Use() { make_current(before_); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

  private:
    Executor* before_;
  };

  // Only during a Use:
  // Runs the task to its end, advancing the clock when all coroutines wait for it. False if it waits for something
  // else, for longer than an hour, or for a socket for longer than 3 s.
  [[nodiscard]] bool finish(Task<>& task);
  // Runs ready work, and work that this makes ready.
  void run_ready();
  // Advances the clock.
  void advance(Milliseconds time);

  void report(std::string_view what, const std::exception_ptr& error);
  void report(std::string line);

  void post(base::Function<void()> work) override;
  Timers& timers() noexcept override { return *this; }
  Offloader* offloader() noexcept override { return this; }
  Scope* background() noexcept override { return &background_; }
  base::Box<Watch> watch(int descriptor, Watch::Handler& handler) override;

  std::uint64_t now() const noexcept override { return now_; }
  std::int64_t unix_time() const noexcept override { return began_ + static_cast<std::int64_t>(now_ / 1000); }
  void arm(Timer& timer, Milliseconds delay) override;
  void disarm(Timer& timer) noexcept override;

  std::vector<std::string> reports;
  bool prints_reports = true;

private:
  class DescriptorWatch;

  // Waits for the descriptors of other libraries, such as a database, and for no longer than `real_wait`. False if none
  // is ready until then, or before the next armed timer is due.
  bool await_descriptors();
  // Advances the clock to the next armed timer; false if there is none until `limit`.
  bool pass_time(std::uint64_t limit);

  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job&) noexcept override { return false; }

  std::mutex mutex_;  // guards the posts, which may come from a handler's threads
  std::vector<base::Function<void()>> posts_;
  std::vector<Timer*> timers_;  // armed
  std::vector<DescriptorWatch*> watches_;
  Timer* armed_ = nullptr;  // the target of their links
  std::uint64_t now_ = 1;
  std::int64_t began_ = Timers::unix_time();
  Scope background_;
};

}  // namespace tern::testing
