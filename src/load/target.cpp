#include "load/target.hpp"

#include <tern/base/number.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace tern::load {
namespace {

[[noreturn]] void refuse_url(std::string_view url, std::string_view why) {
  throw std::invalid_argument("the URL " + std::string(url) + " " + std::string(why));
}

// Whether a connection succeeds within two seconds.
bool accepts(const Address& address) {
  const int socket = connect_to(address);
  if (socket < 0) return false;
  pollfd connecting = {.fd = socket, .events = POLLOUT, .revents = 0};
  int error = 0;
  socklen_t size = sizeof error;
  const bool is_connected = ::poll(&connecting, 1, 2'000) == 1 &&
                            ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  ::close(socket);
  return is_connected;
}

}  // namespace

Target parse_target(std::string_view url) {
  Target target;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    target.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.contains("://")) {
    refuse_url(url, "has another scheme than http and https");
  }
  const bool has_controls =
      std::ranges::any_of(url, [](char c) { return static_cast<unsigned char>(c) <= 32 || c == 127; });
  if (has_controls) refuse_url(url, "has blanks or control characters");
  rest = rest.substr(0, rest.find('#'));
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  target.path = rest.substr(end);
  if (!target.path.starts_with('/')) target.path.insert(0, "/");
  if (authority.contains('@')) refuse_url(url, "has a user: pass a header instead");
  std::string_view host = authority;
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  if (has_port) {
    host = authority.substr(0, colon);
    const auto port = base::parse_integer<std::uint16_t>(authority.substr(colon + 1));
    if (!port || *port == 0) refuse_url(url, "has no port between 1 and 65535");
  }
  target.port = has_port ? std::string(authority.substr(colon + 1)) : target.tls ? "443" : "80";
  target.origin = authority;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) refuse_url(url, "has no host");
  target.host = host;
  return target;
}

std::vector<Address> resolve(const Target& target) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &found);
  if (status != 0) throw std::runtime_error("cannot find " + target.host + ": " + ::gai_strerror(status));
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Address& address = addresses.emplace_back();
    address.size = one->ai_addrlen;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
  }
  ::freeaddrinfo(found);
  return addresses;
}

Address choose(const std::vector<Address>& addresses) {
  const auto chosen = addresses.size() < 2 ? addresses.end() : std::ranges::find_if(addresses, accepts);
  return chosen == addresses.end() ? addresses.front() : *chosen;
}

int connect_to(const Address& address) noexcept {
  const int made = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto* const to = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(made, to, address.size) == 0 || errno == EINPROGRESS) return made;
  const int reason = errno;
  ::close(made);
  errno = reason;
  return -1;
}

}  // namespace tern::load
