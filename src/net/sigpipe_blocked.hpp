// SIGPIPE is blocked for a thread. sendfile() raises it when the peer has closed, and has no flag against it, unlike
// send().
#pragma once

#include <pthread.h>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace tern::net {

// For the calling thread, until it is destroyed by the same thread. A signal that was raised meanwhile is taken then.
class SigpipeBlocked {
public:
  SigpipeBlocked() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  SigpipeBlocked(const SigpipeBlocked&) = delete;
  SigpipeBlocked& operator=(const SigpipeBlocked&) = delete;
  ~SigpipeBlocked() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace tern::net
