#include "client.hpp"

#include <tern/base/number.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace bench {

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void fail(const char* what) {
  std::fprintf(stderr, "bench: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

void print_line(const char* line) {
  std::puts(line);
  std::fflush(stdout);
}

void take_all_descriptors() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int connected(std::uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (made < 0 || connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("connect");
  const int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

void watch(int poll, int operation, int socket, std::uint32_t events, void* user_data) {
  epoll_event wanted = {.events = events, .data = {.ptr = user_data}};
  if (epoll_ctl(poll, operation, socket, &wanted) != 0) fail("epoll_ctl");
}

Flags::Flags(int argc, char** argv, const char* usage) : usage_(usage) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) refuse();
    given_.emplace_back(argv[i], argv[i + 1]);
  }
}

std::string_view Flags::word(std::string_view name, std::string_view otherwise) {
  const auto found =
      std::find_if(given_.begin(), given_.end(), [name](const auto& each) { return each.first == name; });
  if (found == given_.end()) return otherwise;
  const std::string_view value = found->second;
  given_.erase(found);
  return value;
}

std::size_t Flags::number(std::string_view name, std::size_t otherwise) {
  const std::string_view value = word(name, "");
  if (value.empty()) return otherwise;
  const auto number = tern::base::parse_integer<std::uint32_t>(value);
  if (!number) refuse();
  return *number;
}

void Flags::finish() const {
  if (!given_.empty()) refuse();
}

void Flags::refuse() const {
  std::fprintf(stderr, "usage: %s\n", usage_);
  std::exit(2);
}

}  // namespace bench
