#include "net/send_file.hpp"

#include <sys/sendfile.h>
#include <unistd.h>
#include <cerrno>

namespace tern::net {
ssize_t send_file(int socket, int file, std::uint64_t offset, std::size_t size) noexcept {
  for (;;) {
    auto from = static_cast<off_t>(offset);
    const ssize_t sent = ::sendfile(socket, file, &from, size);
    if (sent > 0) return sent;
    if (sent == 0) return -ENODATA;
    const int error = errno;
    if (error == EAGAIN) return 0;
    if (error == EINTR) continue;
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
