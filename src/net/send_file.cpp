#include "net/send_file.hpp"

#include <pthread.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace tern::net {
namespace {

// sendfile() has no flags. A signal that is raised meanwhile stays pending, and is taken by consume().
class SigpipeBlocked {
public:
  SigpipeBlocked() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  SigpipeBlocked(const SigpipeBlocked&) = delete;
  SigpipeBlocked& operator=(const SigpipeBlocked&) = delete;
  ~SigpipeBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Not if the thread has it blocked anyway.
  void consume() const noexcept {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }

private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace

ssize_t send_file(int socket, int file, std::uint64_t offset, std::size_t size) noexcept {
  const SigpipeBlocked blocked;
  for (;;) {
    auto from = static_cast<off_t>(offset);
    const ssize_t sent = ::sendfile(socket, file, &from, size);
    if (sent > 0) return sent;
    if (sent == 0) return -ENODATA;
    const int error = errno;
    if (error == EAGAIN) return 0;
    if (error == EINTR) continue;
    if (error == EPIPE) blocked.consume();
    return -error;
  }
}

int read_file(int file, std::uint64_t offset, std::span<char> into) noexcept {
  while (!into.empty()) {
    const ssize_t count = ::pread(file, into.data(), into.size(), static_cast<off_t>(offset));
    if (count == 0) return ENODATA;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return 0;
}

}  // namespace tern::net
