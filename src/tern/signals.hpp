// The signals of App::run(): SIGINT and SIGTERM stop the server, SIGHUP reopens its files.
#pragma once

#include <signal.h>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tern {

// Blocks SIGINT, SIGTERM and SIGHUP in this thread, except while it waits for them. New threads and processes inherit
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
  // Throws SetupError if another one exists: two apps run at once.
  SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope();

  struct Events {
    std::uint32_t stops = 0;  // SIGINT and SIGTERM
    bool reload = false;
    bool ended = false;  // end() was called
  };

  // Blocks until there are events, and returns those since the last call. Throws std::system_error if waiting fails.
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
