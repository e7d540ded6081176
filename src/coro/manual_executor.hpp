// For tests: an executor, a clock and a pool under the test's control, and a task started from outside of a coroutine.
#pragma once

#include <tern/async.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::coro {

// The executor of the thread that makes it.
class ManualExecutor final : public Executor, public Timers {
public:
  ManualExecutor() : before_(make_current(this)) {}
  ~ManualExecutor() { make_current(before_); }

  void post(base::Function<void()> work) override {
    const std::scoped_lock lock(mutex_);
    posts_.push_back(std::move(work));
  }
  Timers& timers() noexcept override { return *this; }
  Offloader* offloader() noexcept override { return pool; }

  std::uint64_t now() const noexcept override { return now_; }
  void arm(Timer& timer, Milliseconds delay) override {
    disarm(timer);
    timer.links.tick = now_ + static_cast<std::uint64_t>(delay.count());
    timer.links.previous = &armed_;  // any non-null value
    timers_.push_back(&timer);
  }
  void disarm(Timer& timer) noexcept override {
    timer.links.previous = nullptr;
    std::erase(timers_, &timer);
  }

  // Runs posted work, including work that is posted meanwhile; returns the number of posts.
  std::size_t run() {
    std::size_t count = 0;
    while (step()) ++count;
    return count;
  }
  // Runs the first post only; false if there is none.
  bool step() {
    base::Function<void()> work;
    {
      const std::scoped_lock lock(mutex_);
      if (posts_.empty()) return false;
      work = std::move(posts_.front());
      posts_.pop_front();
    }
    work();
    return true;
  }
  // Advances the clock, timer by timer, and runs.
  void advance(std::uint64_t milliseconds) {
    const std::uint64_t until = now_ + milliseconds;
    run();
    while (Timer* due = next(until)) {
      now_ = due->links.tick;
      disarm(*due);
      due->on_timer();
      run();
    }
    now_ = until;
  }
  std::size_t timers_armed() const { return timers_.size(); }

  Offloader* pool = nullptr;

private:
  Timer* next(std::uint64_t until) const {
    const auto sooner = [](const Timer* a, const Timer* b) { return a->links.tick < b->links.tick; };
    const auto first = std::ranges::min_element(timers_, sooner);
    return first == timers_.end() || (*first)->links.tick > until ? nullptr : *first;
  }

  Executor* before_;
  std::mutex mutex_;
  std::deque<base::Function<void()>> posts_;
  std::vector<Timer*> timers_;
  Timer* armed_ = nullptr;
  std::uint64_t now_ = 1000;
};

// A pool without threads: the test runs or drops the jobs.
class ManualPool final : public Offloader {
public:
  explicit ManualPool(std::size_t capacity = 100) : capacity_(capacity) {}

  bool submit(Priority priority, Job& job) noexcept override {
    if (waiting == capacity_) return false;
    job.place.priority = priority;
    jobs_.push(job);
    ++waiting;
    return true;
  }
  bool withdraw(Job& job) noexcept override {
    if (!job.linked()) return false;
    job.unlink();
    --waiting;
    return true;
  }
  Job* take() {
    Job* job = jobs_.pop();
    if (job != nullptr) --waiting;
    return job;
  }
  void run_one() { take()->run(); }

  std::size_t waiting = 0;

private:
  std::size_t capacity_;
  List<Job> jobs_;
};

template <class T = void>
class StartedTask {
public:
  explicit StartedTask(Task<T> task, StopState* stop = nullptr) : task_(std::move(task)) {
    if (stop != nullptr) task_->inherit_stop(stop);
    ended_ = task_->start(&on_end, this);
  }
  StartedTask(const StartedTask&) = delete;
  StartedTask& operator=(const StartedTask&) = delete;

  bool ended() const { return ended_; }
  T result() { return task_->result(); }
  // Its exception, or "nothing".
  std::string error() {
    if (!ended_) return "it has not ended";
    try {
      static_cast<void>(task_->result());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  }
  void destroy() { task_.reset(); }

private:
  static void on_end(void* context) { static_cast<StartedTask*>(context)->ended_ = true; }
  std::optional<Task<T>> task_;
  bool ended_ = false;
};

// The depth of the stack, by frame addresses.
struct Stack {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  [[gnu::noinline]] void look() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, here);
    highest = std::max(highest, here);
  }
  std::uintptr_t used() const { return highest - lowest; }
};
constexpr std::uintptr_t few_frames = 16 * 1024;

}  // namespace tern::coro
