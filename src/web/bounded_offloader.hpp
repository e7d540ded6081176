// Bounds how many jobs of one kind run on the pool at a time, and how many wait.
#pragma once

#include <tern/coro/offload.hpp>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace tern::web {

// Jobs wait here, and not in the queue of the pool. There is one runner for each job that may run: it is a job of the
// pool, runs the first of those that wait, and queues for the pool again, so that other work gets its turn.
class BoundedOffloader final : public Offloader {
public:
  BoundedOffloader(std::size_t max_concurrent, std::size_t max_waiting);
  // Waits for runners.
  ~BoundedOffloader();

  // Uses the pool of the calling thread's executor. False if max_waiting wait already.
  bool submit(Priority priority, Job& job) noexcept override;
  bool withdraw(Job& job) noexcept override;

private:
  class Runner final : public Job {
  public:
    void run() noexcept override;
    void drop() noexcept override;

    BoundedOffloader* owner = nullptr;
    Offloader* pool = nullptr;  // null: idle
  };

  Runner* idle_runner() noexcept;
  bool start(Runner& runner, Job& job) noexcept;
  Job* take() noexcept;
  bool end_unless_needed(Runner& runner) noexcept;
  void drop_waiting(Runner& runner) noexcept;

  const std::size_t max_waiting_;
  std::vector<Runner> runners_;
  std::mutex mutex_;  // guards all below, and Runner::pool
  std::condition_variable became_idle_;
  std::vector<Job*> waiting_;  // the first in is the first; its capacity is reserved
};

}  // namespace tern::web
