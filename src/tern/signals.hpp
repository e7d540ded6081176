// The signals of App::run(): SIGINT and SIGTERM stop the server, SIGHUP has it open its files again.
#pragma once

#include <signal.h>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tern {

// Blocks SIGINT, SIGTERM and SIGHUP in this thread, but for where it waits for them. Threads and processes that are
// made meanwhile inherit that.
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

// While it exists, the signals of this process are counted in an eventfd, for wait(). SIGPIPE is ignored: a log whose
// reader has gone must not end the server. Afterwards, the handlers that were there before are there again. A child
// that is made by fork() and executes nothing else is ended by them, as by default, and its parent learns nothing of
// it.
class SignalScope {
public:
  // Throws SetupError when another one exists: two apps run at once.
  SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope();

  struct Events {
    std::uint32_t stops = 0;  // SIGINT and SIGTERM
    bool reload = false;
    bool ended = false;  // end() was called
  };

  // Blocks until something has happened, and tells what since the last call. Throws std::system_error when it cannot
  // wait any more.
  Events wait(const HeldSignals& held);

  // Ends wait(), from any thread.
  void end() noexcept;

private:
  struct Handler {
    int signal = 0;
    struct sigaction before{};
  };

  void install(int signal, void (*handler)(int));

  int event_ = -1;
  std::array<Handler, 4> handlers_{};
  std::size_t count_ = 0;
};

}  // namespace tern
