#include "tern/supervisor.hpp"

#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace tern {
namespace {

// After an immediate stop: everything that can be stopped has ended long before, except on_stop hooks, which have a
// second.
constexpr Milliseconds exit_time{250};
constexpr Milliseconds exit_time_with_hooks{1250};
constexpr Milliseconds time_behind_drain =
    Seconds(5);                                      // for the service manager: hooks, and what ends with the process
constexpr Milliseconds time_to_start = Seconds(60);  // of a successor

}  // namespace

void report_start(const ServiceManager& manager, const net::Descriptor& predecessor, const std::string& status) {
  if (!predecessor) return manager.ready(status);
  [[maybe_unused]] const auto written = ::write(predecessor.number(), "1", 1);
}

void Supervisor::run() {
  const HeldSignals held;
  if (manager_.watchdog()) {
    attempt([this] { ask_loops(); });
    next_watch_ = Clock::now() + *manager_.watchdog() / 4;
  }
  while (true) {
    SignalScope::Events events = signals_.wait(held, {time_to_wait(), successor_ ? successor_->descriptor() : -1});
    if (events.ended) return;
    if (events.reload) attempt([this] { reload(); });
    if (events.reopen) attempt([this] { server_.log().reopen(); });
    if (events.dump) attempt([this] { server_.log_state(); });
    if (events.handover) attempt([this] { begin_handover(); });
    if (successor_) attempt([this] { look_at_successor(); });
    for (; events.stops != 0; --events.stops) attempt([this] { stop(); });
    attempt([this] { watch(); });
  }
}

// The server runs on, whatever there is no memory for.
template <class F>
void Supervisor::attempt(F action) noexcept {
  try {
    action();
  } catch (const std::exception&) {
    server_.log().failure("a signal was not handled", std::current_exception());
  }
}

void Supervisor::stop() {
  if (successor_) end_handover("this process stops");
  const bool drained_before = server_.retire();
  if (!std::exchange(stopping_, true)) {
    const exchange::Settings& settings = server_.settings();
    manager_.stopping(settings.drain_delay + settings.drain_timeout + time_behind_drain);
    return;
  }
  if (!drained_before) return;
  server_.log().write(LogLevel::Info, "stopping at once");
  server_.stop(Milliseconds(0));
  const bool hooks = !core_.hooks().stop.empty() || core_.bus() != nullptr;
  forced_exit_.arm(hooks ? exit_time_with_hooks : exit_time);
}

// Errors are logged.
void Supervisor::reload() {
  manager_.reloading();
  server_.log().reopen();
  try {
    server_.reload_certificates();
  } catch (const std::exception&) {
    server_.log().failure("the certificates cannot be loaded again", std::current_exception(), "tls");
  }
  for (const auto& hook : core_.hooks().reload) {
    try {
      hook();
    } catch (...) {
      server_.log().failure("an on_reload function failed", std::current_exception());
    }
  }
  if (!stopping_) manager_.ready();
}

void Supervisor::begin_handover() {
  if (stopping_ || successor_) {
    return server_.log().write(LogLevel::Warning, stopping_ ? "no successor is started: this process stops"
                                                            : "a successor is starting already");
  }
  auto sockets = server_.take_kept_sockets();
  try {
    successor_.emplace(program_, std::move(sockets));
    successor_due_ = Clock::now() + time_to_start;
    server_.log().write(LogLevel::Info, "started a successor, process " + std::to_string(successor_->process()));
  } catch (const std::exception&) {
    server_.log().failure("a successor cannot be started", std::current_exception());
  }
}

void Supervisor::look_at_successor() {
  if (Clock::now() >= successor_due_) return end_handover("it does not serve after 60 s");
  pollfd waiting{successor_->descriptor(), POLLIN, 0};
  if (::poll(&waiting, 1, 0) <= 0) return;
  if (!successor_->has_started()) return end_handover("it " + successor_->end());
  const std::string process = std::to_string(successor_->process());
  server_.log().write(LogLevel::Info, "process " + process + " serves now: requests in flight may end");
  manager_.successor(successor_->process(), "serving " + server_.address());
  successor_.reset();
  stopping_ = true;
  server_.stop(server_.settings().drain_timeout);
}

// The sockets stay for another attempt.
void Supervisor::end_handover(const std::string& why) {
  server_.log().write(LogLevel::Error, "the successor does not take over: " + why);
  server_.keep_sockets_again(successor_->take_sockets());
  successor_.reset();
}

void Supervisor::ask_loops() {
  heartbeat_ = std::make_shared<Heartbeat>();
  for (const auto& worker : server_.workers()) {
    worker->loop().post([heartbeat = heartbeat_] { ++heartbeat->answers; });
  }
}

void Supervisor::watch() {
  if (!heartbeat_ || Clock::now() < next_watch_) return;
  next_watch_ = Clock::now() + *manager_.watchdog() / 4;
  if (heartbeat_->answers != server_.workers().size()) return;  // a loop is stalled
  manager_.alive();
  ask_loops();
}

std::optional<Milliseconds> Supervisor::time_to_wait() const {
  std::optional<Clock::time_point> next;
  if (heartbeat_) next = next_watch_;
  if (successor_) next = std::min(next.value_or(successor_due_), successor_due_);
  if (!next) return std::nullopt;
  const auto left = std::chrono::ceil<Milliseconds>(*next - Clock::now());
  return std::max(left, Milliseconds(0));
}

}  // namespace tern
