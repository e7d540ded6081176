#include "answer.hpp"

#include <tern/base/number.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

constexpr std::size_t max_answers = 4096;
constexpr std::string_view keep_alive = "Connection: keep-alive\r\n";

std::string many(std::string_view one) {
  std::string all;
  all.reserve(one.size() * max_answers);
  for (std::size_t i = 0; i < max_answers; ++i) all += one;
  return all;
}

}  // namespace

Answers::Answers() : current(many(answer)) {
  std::string one(answer);
  one.insert(one.find("\r\n\r\n") + 2, keep_alive);
  old = many(one);
}

std::string_view Answers::owed(std::size_t count, bool is_old) const noexcept {
  if (count > max_answers) return {};
  const std::string_view all = is_old ? old : current;
  return all.substr(0, count * (is_old ? answer.size() + keep_alive.size() : answer.size()));
}

std::size_t Requests::first(std::string_view bytes) {
  head_ += bytes;
  const std::size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  std::size_t length = end + 4;
  // As wrk, ab and h2load write it; this is no parser.
  constexpr std::string_view content_length = "Content-Length: ";
  const std::size_t at = head_.find(content_length);
  if (at < end) {
    const std::size_t begin = at + content_length.size();
    const auto value = std::string_view(head_).substr(begin, head_.find('\r', begin) - begin);
    length += tern::base::parse_integer<std::size_t>(value).value_or(0);
  }
  const auto head = std::string_view(head_).substr(0, end + 2);
  const bool keeps = head.contains("Connection: keep-alive") || head.contains("Connection: Keep-Alive");
  old_ = head.contains(" HTTP/1.0\r\n");
  closes_ = head.contains("Connection: close") || (old_ && !keeps);
  length_ = length;
  const std::size_t arrived = head_.size();
  head_ = {};
  pending_ = arrived % length;
  return arrived / length;
}

int listen_on(std::uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const pointer = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, pointer, length) != 0 || listen(listener, 16384) != 0 ||
      getsockname(listener, pointer, &length) != 0) {
    std::perror("bench-floor");
    std::exit(1);
  }
  port = ntohs(address.sin_port);
  return listener;
}

void no_delay(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

std::size_t descriptor_limit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

}  // namespace bench
