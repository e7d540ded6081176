// The signals of App::run(): SIGINT and SIGTERM stop the server, SIGHUP reopens its files, SIGUSR1 its logs, SIGUSR2
// starts a successor, and SIGQUIT writes down what it does.
#pragma once

#include <tern/base/duration.hpp>

#include <signal.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tern {

// Blocks the signals of SignalScope in this thread, except while it waits for them. New threads and processes inherit
// that.
class HeldSignals {
public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  const sigset_t& before() const noexcept { return before_; }

private:
  sigset_t before_{};
};

// While it exists, the signals of this process are counted in an eventfd, for wait(). SIGPIPE is ignored: the end of a
// log's reader must not end the server. The destructor restores the previous handlers. A child that is created by
// fork() without exec() is ended by these signals, as by default, without affecting its parent.
class SignalScope {
public:
  // Throws SetupError if another one exists: two apps run at once. SIGUSR2 is handled only with `handover`.
  explicit SignalScope(bool handover = false);
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope();

  struct Events {
    std::uint32_t stops = 0;  // SIGINT and SIGTERM
    bool reload = false;      // SIGHUP
    bool handover = false;    // SIGUSR2
    bool reopen = false;      // SIGUSR1
    bool dump = false;        // SIGQUIT
    bool ended = false;       // end() was called
  };

  // What wait() returns for, beside signals.
  struct Limits {
    std::optional<Milliseconds> time = {};
    int descriptor = -1;  // readable, or at its end
  };

  // Blocks until there are events, and returns those since the last call; none when a limit was reached. Throws
  // std::system_error if waiting fails.
  Events wait(const HeldSignals& held, const Limits& limits);
  Events wait(const HeldSignals& held) { return wait(held, Limits()); }

  // Ends wait(), from any thread.
  void end() noexcept;

private:
  struct Handler {
    int signal = 0;
    struct sigaction before{};
  };

  void install(int signal, void (*handler)(int));

  int event_ = -1;
  std::array<Handler, 7> handlers_{};
  std::size_t count_ = 0;
};

}  // namespace tern
