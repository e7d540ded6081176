#include "web/bounded_offloader.hpp"

#include <tern/coro/executor.hpp>

#include <algorithm>
#include <utility>

namespace tern::web {

BoundedOffloader::BoundedOffloader(std::size_t max_concurrent, std::size_t max_waiting)
    : max_waiting_(max_waiting), runners_(max_concurrent) {
  for (Runner& runner : runners_) runner.owner = this;
  waiting_.reserve(max_waiting + max_concurrent);
}

BoundedOffloader::~BoundedOffloader() {
  std::unique_lock lock(mutex_);
  became_idle_.wait(lock, [this] {
    return std::ranges::all_of(runners_, [](const Runner& runner) { return runner.pool == nullptr; });
  });
}

BoundedOffloader::Runner* BoundedOffloader::idle_runner() noexcept {
  const auto idle = std::ranges::find(runners_, nullptr, &Runner::pool);
  return idle == runners_.end() ? nullptr : &*idle;
}

bool BoundedOffloader::submit(Priority, Job& job) noexcept {
  Executor* const executor = Executor::current();
  Offloader* const pool = executor == nullptr ? nullptr : executor->offloader();
  if (pool == nullptr) return false;
  Runner* runner = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    runner = idle_runner();
    if (runner == nullptr && waiting_.size() >= max_waiting_) return false;
    waiting_.push_back(&job);
    if (runner == nullptr) return true;
    runner->pool = pool;
  }
  return start(*runner, job);
}

bool BoundedOffloader::start(Runner& runner, Job& job) noexcept {
  if (runner.pool->submit(Priority::Normal, runner)) return true;
  const std::scoped_lock lock(mutex_);
  runner.pool = nullptr;
  became_idle_.notify_all();
  return std::erase(waiting_, &job) == 0;  // another runner may have taken it
}

bool BoundedOffloader::withdraw(Job& job) noexcept {
  const std::scoped_lock lock(mutex_);
  return std::erase(waiting_, &job) != 0;
}

Job* BoundedOffloader::take() noexcept {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return nullptr;
  Job* const first = waiting_.front();
  waiting_.erase(waiting_.begin());
  return first;
}

// Afterwards the owner may be destroyed.
bool BoundedOffloader::end_unless_needed(Runner& runner) noexcept {
  const std::scoped_lock lock(mutex_);
  if (!waiting_.empty()) return false;
  runner.pool = nullptr;
  became_idle_.notify_all();
  return true;
}

void BoundedOffloader::drop_waiting(Runner& runner) noexcept {
  do {
    while (Job* const job = take()) job->drop();
  } while (!end_unless_needed(runner));
}

void BoundedOffloader::Runner::run() noexcept {
  Offloader& own_pool = *pool;
  do {
    if (Job* const job = owner->take()) job->run();
    if (owner->end_unless_needed(*this)) return;
  } while (!own_pool.submit(Priority::Normal, *this));
}

void BoundedOffloader::Runner::drop() noexcept {
  owner->drop_waiting(*this);
}

}  // namespace tern::web
