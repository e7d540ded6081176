#include <tern/net/thread_pool.hpp>

#include "coro/saturation.hpp"

#include <tern/base/expects.hpp>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

namespace tern {
namespace {

constexpr std::size_t priorities = 3;
constexpr std::array<unsigned, priorities> shares = {16, 4, 1};  // of each round, by priority

std::size_t index_of(Priority priority) {
  return static_cast<std::size_t>(priority);
}

unsigned processors() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

std::uint64_t nanoseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Signals are for other threads than those that are started while it lives.
class SignalsBlocked {
public:
  SignalsBlocked() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

class PostedJob final : public Job {
public:
  PostedJob(base::Function<void()> f, base::Function<void(std::exception_ptr)>& on_error)
      : f_(std::move(f)), on_error_(on_error) {}

  void run() noexcept override {
    try {
      f_();
    } catch (...) {
      if (!on_error_) std::terminate();
      on_error_(std::current_exception());
    }
    delete this;
  }
  void drop() noexcept override { delete this; }
  ~PostedJob() = default;

private:
  base::Function<void()> f_;
  base::Function<void(std::exception_ptr)>& on_error_;
};

}  // namespace

class ThreadPool::Core {
public:
  explicit Core(ThreadPoolOptions options) : options_(std::move(options)) {
    const unsigned count = options_.threads != 0 ? options_.threads : processors();
    options_.queue = std::max<std::size_t>(options_.queue, 1);
    const SignalsBlocked blocked;
    threads_.reserve(count);
    try {
      for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (...) {
      shutdown(Rest::Drain);
      throw;
    }
    count_ = count;
  }

  bool submit(Priority priority, Job& job) noexcept {
    const std::scoped_lock lock(mutex_);
    std::size_t& waiting = waiting_[index_of(priority)];
    const std::uint64_t now = nanoseconds();
    const bool sheds = options_.sheds_load && priority != Priority::High && !has_room_for_wait(now);
    if (closed_ || waiting == options_.queue || sheds) {
      ++counts_.rejected;
      if (sheds) ++counts_.shed;
      return false;
    }
    job.place.priority = priority;
    job.place.since = now;
    queues_[index_of(priority)].push(job);
    ++waiting;
    if (idle_ != 0) available_.notify_one();
    return true;
  }

  bool withdraw(Job& job) noexcept {
    const std::scoped_lock lock(mutex_);
    if (!job.linked()) return false;
    job.unlink();
    --waiting_[index_of(job.place.priority)];
    ++counts_.dropped;
    return true;
  }

  void shutdown(Rest rest) {
    const std::thread::id self = std::this_thread::get_id();
    for (const std::thread& thread : threads_) {
      base::expects(thread.get_id() != self, "a thread pool is not shut down by its own jobs");
    }
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
      discards_ = discards_ || rest == Rest::Discard;
      available_.notify_all();
    }
    if (rest == Rest::Discard) discard();
    const std::scoped_lock lock(joining_);
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  Counts counts() const {
    const std::scoped_lock lock(mutex_);
    Counts counts = counts_;
    counts.queued = waiting_[0] + waiting_[1] + waiting_[2];
    return counts;
  }
  unsigned threads() const noexcept { return count_; }
  base::Function<void(std::exception_ptr)>& on_error() noexcept { return options_.on_error; }

private:
  void work(unsigned number) {
    const std::string suffix = "/" + std::to_string(number);
    const std::string name = options_.name.substr(0, 15 - suffix.size()) + suffix;  // 15 is all that Linux keeps
    ::pthread_setname_np(::pthread_self(), name.c_str());
    // A thread's own on Linux, whatever POSIX says of processes. A higher one is always allowed.
    const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
    ::setpriority(PRIO_PROCESS, thread, std::min(::getpriority(PRIO_PROCESS, thread) + options_.nice, 19));
    std::unique_lock lock(mutex_);
    while (true) {
      Job* job = discards_ ? nullptr : take();
      if (job == nullptr) {
        if (closed_) return;
        add_idle_time();
        ++idle_;
        available_.wait(lock);
        add_idle_time();
        --idle_;
        continue;
      }
      job->place.waited = nanoseconds() - job->place.since;
      count_wait(job->place.waited);
      ++counts_.running;
      const std::uint64_t began = job->place.since + job->place.waited;
      lock.unlock();
      job->run();
      const std::uint64_t ended = options_.sheds_load ? nanoseconds() : began;
      lock.lock();
      if (options_.sheds_load) saturation_.count(ended - began);
      --counts_.running;
      ++counts_.done;
    }
  }

  // With the lock. Whether a further job is expected to begin within the allowed time.
  bool has_room_for_wait(std::uint64_t now) noexcept {
    add_idle_time(now);
    saturation_.update(now, idle_time_ / count_);
    const std::uint64_t waiting = waiting_[0] + waiting_[1] + waiting_[2];
    return waiting * saturation_.mean() / count_ <= saturation_.allowed_wait(now);
  }

  void add_idle_time() noexcept {
    if (options_.sheds_load) add_idle_time(nanoseconds());
  }
  void add_idle_time(std::uint64_t now) noexcept {
    if (idle_since_ != 0) idle_time_ += idle_ * (now - idle_since_);
    idle_since_ = now;
  }

  void count_wait(std::uint64_t time) noexcept {
    counts_.wait_nanoseconds += time;
    const auto bound = std::ranges::lower_bound(Counts::wait_bounds, time);
    ++counts_.waits[static_cast<std::size_t>(bound - Counts::wait_bounds.begin())];
  }

  // With the lock: the next job by priority and share; null when there is none.
  Job* take() noexcept {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < priorities; ++i) {
        if (waiting_[i] == 0 || left_[i] == 0) continue;
        --left_[i];
        --waiting_[i];
        return queues_[i].pop();
      }
      left_ = shares;
    }
    return nullptr;
  }

  // One by one, so that a concurrent withdraw() finds a job either waiting or gone.
  void discard() noexcept {
    while (true) {
      Job* job = nullptr;
      {
        const std::scoped_lock lock(mutex_);
        job = take();
        if (job == nullptr) return;
        ++counts_.dropped;
      }
      job->drop();
    }
  }

  ThreadPoolOptions options_;
  unsigned count_ = 0;
  mutable std::mutex mutex_;  // for what follows
  std::condition_variable available_;
  std::array<coro::List<Job>, priorities> queues_;
  std::array<std::size_t, priorities> waiting_{};   // how many are in each queue
  std::array<unsigned, priorities> left_ = shares;  // of this round
  std::size_t idle_ = 0;
  std::uint64_t idle_time_ = 0;  // of all threads, in nanoseconds, until idle_since_; if load is shed
  std::uint64_t idle_since_ = 0;
  coro::Saturation saturation_;
  Counts counts_;  // but for those that are queued
  bool closed_ = false;
  bool discards_ = false;  // and nothing begins any more
  std::mutex joining_;
  std::vector<std::thread> threads_;  // last: they use the rest
};

ThreadPool::ThreadPool(ThreadPoolOptions options) : core_(base::make_box<Core>(std::move(options))) {}

ThreadPool::~ThreadPool() {
  core_->shutdown(Rest::Drain);
}

bool ThreadPool::post(Priority priority, base::Function<void()> f) {
  auto* job = new PostedJob(std::move(f), core_->on_error());
  if (submit(priority, static_cast<Job&>(*job))) return true;
  delete job;
  return false;
}

bool ThreadPool::submit(Priority priority, Job& job) noexcept {
  return core_->submit(priority, job);
}

bool ThreadPool::withdraw(Job& job) noexcept {
  return core_->withdraw(job);
}

void ThreadPool::shutdown(Rest rest) {
  core_->shutdown(rest);
}

ThreadPool::Counts ThreadPool::counts() const {
  return core_->counts();
}

unsigned ThreadPool::threads() const noexcept {
  return core_->threads();
}

}  // namespace tern
