#include "tern/signals.hpp"

#include <tern/app/app.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

namespace tern {
namespace {

// The eventfd of the current scope; -1 without one. A signal handler can access only globals.
std::atomic<int> signal_event = -1;
std::atomic<pid_t> signal_process = -1;  // its owner: a child of fork() has only a copy
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

// How often each was counted and not taken yet. The eventfd only wakes.
enum Counted : unsigned { Stop, Reload, Reopen, Dump, Handover, End };
std::array<std::atomic<std::uint32_t>, 6> counts = {};
constexpr std::array<int, 5> counted_signals = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGQUIT};

constexpr Counted counted_by(int signal) noexcept {
  if (signal == SIGHUP) return Reload;
  if (signal == SIGQUIT) return Dump;
  if (signal == SIGUSR2) return Handover;
  return signal == SIGUSR1 ? Reopen : Stop;
}

void count(Counted what, int event) noexcept {
  counts[what].fetch_add(1);
  constexpr std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

extern "C" void tern_on_signal(int signal) {
  if (::getpid() != signal_process.load()) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when this returns
    return;
  }
  const int saved = errno;
  if (const int event = signal_event.load(); event >= 0) count(counted_by(signal), event);
  errno = saved;
}

timespec time_of(Milliseconds time) noexcept {
  return {static_cast<time_t>(time.count() / 1000), static_cast<long>(time.count() % 1000) * 1'000'000};
}

// Waits until `event` is not 0, and resets it; 0 if a limit is reached, nothing if a signal was handled first.
std::optional<std::uint64_t> take(int event, const sigset_t& unblocked, const SignalScope::Limits& limits) {
  // Only here in this thread: ThreadSanitizer runs the handler of a signal that arrives just before a wait only after
  // the wait.
  pollfd waiting[] = {{event, POLLIN, 0}, {limits.descriptor, POLLIN, 0}};  // a negative number is ignored
  const timespec time = time_of(limits.time.value_or(Milliseconds(0)));
  const bool polled = ::ppoll(waiting, 2, limits.time ? &time : nullptr, &unblocked) >= 0;
  if (!polled && errno == EINTR) return std::nullopt;
  if (polled && waiting[0].revents == 0) return 0;
  // ppoll() fails if the descriptor limit was lowered to zero, or the kernel is out of memory; then read() waits.
  sigset_t blocked;
  if (!polled) pthread_sigmask(SIG_SETMASK, &unblocked, &blocked);
  std::uint64_t count = 0;
  const auto size = ::read(event, &count, sizeof count);
  const int error = errno;
  if (!polled) pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  if (size == sizeof count) return count;
  if (size < 0 && error == EINTR) return std::nullopt;
  throw std::system_error(error, std::generic_category(), "cannot read the eventfd of the signals");
}

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : counted_signals) sigaddset(&held, signal);
  sigaddset(&held, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

SignalScope::SignalScope(bool handover) : event_(eventfd(0, EFD_CLOEXEC)) {
  if (event_ < 0) throw SetupError("cannot create an eventfd for signals: " + std::generic_category().message(errno));
  int none = -1;
  if (!signal_event.compare_exchange_strong(none, event_)) {
    ::close(event_);
    throw SetupError("two apps run at once in one process: start() is for that");
  }
  signal_process = ::getpid();
  for (auto& one : counts) one = 0;
  for (const int signal : counted_signals) install(signal, &tern_on_signal);
  if (handover) install(SIGUSR2, &tern_on_signal);
  install(SIGPIPE, SIG_IGN);
}

SignalScope::~SignalScope() {
  for (std::size_t i = 0; i < count_; ++i) sigaction(handlers_[i].signal, &handlers_[i].before, nullptr);
  signal_event = -1;
  ::close(event_);
}

void SignalScope::install(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  Handler& place = handlers_[count_++];
  place.signal = signal;
  sigaction(signal, &action, &place.before);
}

SignalScope::Events SignalScope::wait(const HeldSignals& held, const Limits& limits) {
  while (!take(event_, held.before(), limits)) {
  }
  const auto taken = [](Counted what) { return counts[what].exchange(0); };
  Events events;
  events.stops = taken(Stop);
  events.reload = taken(Reload) != 0;
  events.handover = taken(Handover) != 0;
  events.reopen = taken(Reopen) != 0;
  events.dump = taken(Dump) != 0;
  events.ended = taken(End) != 0;
  return events;
}

void SignalScope::end() noexcept {
  count(End, event_);
}

}  // namespace tern
