#include "server/stall_watch.hpp"

#include "server/symbols.hpp"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif
#include <semaphore.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <utility>

namespace tern::server {
namespace {

constexpr int max_frames = 40;
constexpr std::size_t max_places = 1000;
constexpr long answer_nanoseconds = 200'000'000;  // that a thread has to run the handler

// What the signal handler writes; it can access only globals. backtrace() is safe there once it was called before: the
// unwinder finds frames without a lock (glibc 2.35).
struct Capture {
  std::array<void*, max_frames> frames;
  int count = 0;
  const net::Loop* loop = nullptr;
  std::size_t posted = 0;
  std::atomic<bool> asked = false;
  sem_t done;
};
Capture capture;
static_assert(std::atomic<bool>::is_always_lock_free);

int take_stack(std::array<void*, max_frames>& frames) noexcept {
#if __has_include(<execinfo.h>)
  return ::backtrace(frames.data(), max_frames);
#else
  (void)frames;
  return 0;  // musl has none
#endif
}

extern "C" void tern_on_stack_signal(int) {
  const int saved = errno;
  if (capture.asked.exchange(false)) {
    capture.count = take_stack(capture.frames);
    capture.posted = capture.loop->posted();
    ::sem_post(&capture.done);
  }
  errno = saved;
}

// SIGURG is ignored by default, so that one that comes late harms nothing. Once for the process.
bool install_handler() {
  static const bool installed = [] {
    ::sem_init(&capture.done, 0, 0);
    std::array<void*, max_frames> frames{};
    take_stack(frames);
    struct sigaction before{};
    ::sigaction(SIGURG, nullptr, &before);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return false;
    struct sigaction action{};
    action.sa_handler = &tern_on_stack_signal;
    action.sa_flags = SA_RESTART;
    return ::sigaction(SIGURG, &action, nullptr) == 0;
  }();
  return installed;
}

std::uint64_t milliseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

Interruption interrupt(pthread_t thread, const net::Loop& loop) {
  static std::mutex mutex;
  const std::lock_guard one_at_a_time(mutex);
  if (!install_handler()) return {};
  while (::sem_trywait(&capture.done) == 0) {  // of an answer that came too late
  }
  capture.loop = &loop;
  capture.asked = true;
  if (::pthread_kill(thread, SIGURG) != 0) return {};
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += answer_nanoseconds;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  int waited = 0;
  while ((waited = ::sem_timedwait(&capture.done, &until)) != 0 && errno == EINTR) {
  }
  if (waited != 0 && capture.asked.exchange(false)) return {};
  if (waited != 0) {  // it answers just now
    while (::sem_wait(&capture.done) != 0) {
    }
  }
  constexpr int own = 2;  // the handler, and the frame that the kernel made for it
  Interruption found{{}, capture.posted};
  for (int i = own; i < capture.count; ++i) {
    if (!found.stack.empty()) found.stack += " < ";
    found.stack += function_at(capture.frames[static_cast<std::size_t>(i)]);
  }
  return found;
}

StallWatch::StallWatch(logging::Log& log, Milliseconds limit)
    : log_(log), limit_(static_cast<std::uint64_t>(limit.count())), thread_([this] { run(); }) {}

StallWatch::~StallWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StallWatch::enter(std::size_t index, const net::Loop& loop) {
  const std::lock_guard lock(mutex_);
  watched_.push_back({index, &loop, ::pthread_self()});
}

void StallWatch::leave(std::size_t index) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [index](const Watched& one) { return one.index == index; });
}

std::string StallWatch::stack_of_loop(std::size_t index) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(watched_, index, &Watched::index);
  return found == watched_.end() ? std::string() : interrupt(found->thread, *found->loop).stack;
}

// Looks twice within the limit, so that what takes half as long again is seen.
void StallWatch::run() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const auto next = std::chrono::system_clock::now() + std::chrono::milliseconds(limit_ / 2 + 1);
    changed_.wait_until(lock, next);
    const std::uint64_t now = milliseconds();
    for (Watched& watched : watched_) look(watched, now);
  }
}

void StallWatch::look(Watched& watched, std::uint64_t now) {
  const std::uint64_t iterations = watched.loop->counters().iterations.value();
  if (watched.since == 0 || iterations != watched.iterations || watched.loop->is_waiting()) {
    watched.iterations = iterations;
    watched.since = now;
    watched.reported = false;
    return;
  }
  if (now - watched.since < limit_ || std::exchange(watched.reported, true)) return;
  try {
    const Interruption found = interrupt(watched.thread, *watched.loop);
    if (watched.loop->counters().iterations.value() != iterations) return;  // it went on meanwhile
    if (places_.size() < max_places && !places_.insert(found.stack).second) return;
    const LogFields fields = {{"loop", watched.index},
                              {"milliseconds", now - watched.since},
                              {"posted", found.posted},
                              {"stack", found.stack}};
    log_.write(
        {LogLevel::Warning, "stall", "a loop is stalled: something blocks it, or computes for too long", fields});
  } catch (const std::bad_alloc&) {  // then there is no report
  }
}

}  // namespace tern::server
