#include "redis/tls.hpp"

#include <sys/socket.h>
#include <cerrno>

namespace tern::redis {
namespace {

Moved moved(ssize_t bytes, Moved::State waits) noexcept {
  if (bytes >= 0) return {Moved::State::Done, static_cast<std::size_t>(bytes), 0};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {waits, 0, 0};
  return {Moved::State::Broken, 0, errno};
}

}  // namespace

Moved send_plain(int descriptor, std::string_view bytes) noexcept {
  return moved(::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL), Moved::State::ToWrite);
}

Moved receive_plain(int descriptor, std::span<char> buffer) noexcept {
  Moved received = moved(::recv(descriptor, buffer.data(), buffer.size(), 0), Moved::State::ToRead);
  if (received.state == Moved::State::Done && received.bytes == 0) received.state = Moved::State::Ended;
  return received;
}

}  // namespace tern::redis
