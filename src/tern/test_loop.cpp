#include "tern/test_loop.hpp"

#include <poll.h>
#include <time.h>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>

namespace tern::testing {
namespace {

constexpr std::uint64_t longest_wait = 60ULL * 60 * 1000;
constexpr std::uint64_t longest_real_wait = 3000;

std::uint64_t real_time() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

}  // namespace

class TestLoop::DescriptorWatch final : public Watch {
public:
  DescriptorWatch(TestLoop& loop, int descriptor, Handler& handler)
      : loop_(loop), descriptor_(descriptor), handler_(handler) {
    loop_.watches_.push_back(this);
  }
  ~DescriptorWatch() override { std::erase(loop_.watches_, this); }

  bool want(bool readable, bool writable) noexcept override {
    events = static_cast<short>((readable ? POLLIN : 0) | (writable ? POLLOUT : 0));
    return true;
  }
  pollfd polled() const noexcept { return {descriptor_, events, 0}; }
  bool awaits_peer() const noexcept { return handler_.awaits_peer(); }
  // May destroy it.
  void notify(short ready) noexcept {
    const bool ended = (ready & (POLLERR | POLLHUP)) != 0;
    handler_.on_ready((events & POLLIN) != 0 && (ended || (ready & POLLIN) != 0),
                      (events & POLLOUT) != 0 && (ended || (ready & POLLOUT) != 0));
  }

  short events = 0;

private:
  TestLoop& loop_;
  int descriptor_;
  Handler& handler_;
};

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
    if (!ended && !await_descriptors() && !pass_time(limit)) return false;
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

base::Box<Watch> TestLoop::watch(int descriptor, Watch::Handler& handler) {
  return base::Box<Watch>(new DescriptorWatch(*this, descriptor, handler));
}

bool TestLoop::await_descriptors() {
  std::vector<pollfd> polled;
  std::vector<DescriptorWatch*> watches;
  bool awaits_peer = false;
  for (DescriptorWatch* watch : watches_) {
    if (watch->events == 0) continue;
    awaits_peer = awaits_peer || watch->awaits_peer();
    polled.push_back(watch->polled());
    watches.push_back(watch);
  }
  if (polled.empty()) return false;
  const auto sooner = [](const Timer* a, const Timer* b) { return a->links.tick < b->links.tick; };
  const auto first = std::ranges::min_element(timers_, sooner);
  const std::uint64_t due = first == timers_.end() ? longest_real_wait : (*first)->links.tick - now_;
  const std::uint64_t begin = real_time();
  const auto wait = awaits_peer ? static_cast<int>(std::min(due, longest_real_wait)) : 0;
  if (::poll(polled.data(), polled.size(), wait) <= 0) return false;
  now_ += std::min(real_time() - begin, due);
  for (std::size_t i = 0; i < polled.size(); ++i) {
    // An earlier one may have ended it.
    if (polled[i].revents != 0 && std::ranges::find(watches_, watches[i]) != watches_.end()) {
      watches[i]->notify(polled[i].revents);
    }
  }
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
