#include "tern/test_loop.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace tern::testing {
namespace {

constexpr std::uint64_t longest_wait = 60ULL * 60 * 1000;

}  // namespace

TestLoop::~TestLoop() {
  const Use use(*this);
  background_.stop();
  run_ready();
  end_attachments();
}

bool TestLoop::finish(Task<>& task) {
  bool ended = false;
  const auto call = [](void* flag) { *static_cast<bool*>(flag) = true; };
  ended = task.start(call, &ended);
  const std::uint64_t limit = now_ + longest_wait;
  while (!ended) {
    run_ready();
    if (!ended && !pass_time(limit)) return false;
  }
  return true;
}

void TestLoop::run_ready() {
  while (true) {
    std::vector<base::Function<void()>> working;
    {
      const std::scoped_lock lock(mutex_);
      working.swap(posts_);
    }
    if (working.empty()) return;
    for (const base::Function<void()>& work : working) work();
  }
}

void TestLoop::advance(Milliseconds time) {
  const std::uint64_t until = now_ + static_cast<std::uint64_t>(time.count());
  run_ready();
  while (pass_time(until)) run_ready();
  now_ = until;
}

bool TestLoop::pass_time(std::uint64_t limit) {
  const auto sooner = [](const Timer* a, const Timer* b) { return a->links.tick < b->links.tick; };
  const auto first = std::ranges::min_element(timers_, sooner);
  if (first == timers_.end() || (*first)->links.tick > limit) return false;
  Timer& due = **first;
  now_ = due.links.tick;
  disarm(due);
  due.on_timer();
  return true;
}

void TestLoop::report(std::string_view what, const std::exception_ptr& error) {
  std::string line(what);
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    line.append(": ").append(exception.what());
  } catch (...) {
    line.append(": an exception that is no std::exception");
  }
  report(std::move(line));
}

void TestLoop::report(std::string line) {
  if (prints_reports) std::fprintf(stderr, "tern: %s\n", line.c_str());
  reports.push_back(std::move(line));
}

void TestLoop::post(base::Function<void()> work) {
  const std::scoped_lock lock(mutex_);
  posts_.push_back(std::move(work));
}

void TestLoop::arm(Timer& timer, Milliseconds delay) {
  disarm(timer);
  timer.links.tick = now_ + static_cast<std::uint64_t>(delay.count());
  timer.links.previous = &armed_;
  timers_.push_back(&timer);
}

void TestLoop::disarm(Timer& timer) noexcept {
  timer.links.previous = nullptr;
  std::erase(timers_, &timer);
}

// Runs directly: a test has no other thread.
bool TestLoop::submit(Priority, Job& job) noexcept {
  job.run();
  return true;
}

}  // namespace tern::testing
