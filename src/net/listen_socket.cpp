#include "net/listen_socket.hpp"

#include "net/socket_file.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace tern::net {

namespace {

using Sockets = std::expected<std::vector<ListenSocket>, Error>;

Error system_error(int number, const std::string& name) {
  switch (number) {
    case EADDRINUSE: return {Fault::AddressInUse, number, "address already in use: " + name};
    case EACCES:
    case EPERM: return {Fault::NotPermitted, number, "permission denied: " + name};
    default:
      return {Fault::System, number, "cannot listen on " + name + ": " + std::generic_category().message(number)};
  }
}

int set_flag(const Descriptor& socket, int level, int option, int value) noexcept {
  return ::setsockopt(socket.number(), level, option, &value, sizeof value);
}

// A socket bound to `address`; `shared` lets others of this user bind to it, too.
std::expected<Descriptor, Error> bind_tcp(const Address& address, bool shared) {
  sockaddr_storage system;
  const socklen_t length = address.to(system);
  Descriptor socket(::socket(system.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return std::unexpected(system_error(errno, address.to_string()));
  // Connections of an earlier process that linger in TIME_WAIT do not keep the port; a listening socket does.
  set_flag(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  set_flag(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // accepted sockets inherit it
  if (system.ss_family == AF_INET6) set_flag(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if ((shared && set_flag(socket, SOL_SOCKET, SO_REUSEPORT, 1) != 0) ||
      ::bind(socket.number(), reinterpret_cast<const sockaddr*>(&system), length) != 0) {
    return std::unexpected(system_error(errno, address.to_string()));
  }
  return socket;
}

Address local_address(const Descriptor& socket) noexcept {
  sockaddr_storage system{};
  socklen_t length = sizeof system;
  ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&system), &length);
  return Address::from(system);
}

// The first socket is bound without SO_REUSEPORT, which fails if any process listens, even with SO_REUSEPORT; it lets
// the others in only afterwards, unless the port is to be shared. It also chooses the port for all of them when the
// options leave it open.
Sockets listen_tcp(const Address& wanted, const ListenOptions& options, std::size_t count) {
  std::vector<ListenSocket> sockets;
  Address address = wanted;
  for (std::size_t i = 0; i < count; ++i) {
    auto socket = bind_tcp(address, i != 0 || options.share_port);
    if (!socket) return std::unexpected(std::move(socket.error()));
    if (i == 0) address = wanted.with_port(local_address(*socket).port());
    if ((i == 0 && count > 1 && !options.share_port && set_flag(*socket, SOL_SOCKET, SO_REUSEPORT, 1) != 0) ||
        ::listen(socket->number(), options.backlog) != 0) {
      return std::unexpected(system_error(errno, address.to_string()));
    }
    sockets.push_back({.descriptor = std::move(*socket), .address = address, .name = address.to_string()});
  }
  return sockets;
}

Descriptor unix_socket() noexcept {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Removes a stale socket file. 0, or the error.
int remove_stale(const sockaddr_un& address) noexcept {
  struct stat status{};
  if (::lstat(address.sun_path, &status) != 0) return errno == ENOENT ? 0 : errno;
  if (!S_ISSOCK(status.st_mode)) return EADDRINUSE;
  const Descriptor probe = unix_socket();
  if (!probe) return errno;
  const int error =
      ::connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  if (error == ENOENT) return 0;
  if (error == EACCES) return EACCES;
  if (error != ECONNREFUSED) return EADDRINUSE;  // a process answers, or is too busy to
  return ::unlink(address.sun_path) == 0 || errno == ENOENT ? 0 : errno;
}

Sockets listen_unix(const std::string& path, int backlog, std::size_t count) {
  const std::string name = "unix:" + path;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return std::unexpected(Error{Fault::BadAddress, ENAMETOOLONG, "socket path is longer than 107 bytes: " + name});
  }
  if (path.find('\0') != path.npos) {
    return std::unexpected(Error{Fault::BadAddress, EINVAL, "socket path with a NUL byte"});
  }
  std::memcpy(address.sun_path, path.data(), path.size());

  if (const int error = remove_stale(address)) return std::unexpected(system_error(error, name));
  Descriptor first = unix_socket();
  if (!first || ::bind(first.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return std::unexpected(system_error(errno, name));
  }
  const auto file = std::make_shared<SocketFile>(path);
  if (::listen(first.number(), backlog) != 0) return std::unexpected(system_error(errno, name));

  std::vector<ListenSocket> sockets;
  for (std::size_t i = 1; i < count; ++i) {
    Descriptor copy(::fcntl(first.number(), F_DUPFD_CLOEXEC, 0));
    if (!copy) return std::unexpected(system_error(errno, name));
    sockets.push_back({std::move(copy), Address::unix_socket(), name, file, true});
  }
  sockets.push_back({std::move(first), Address::unix_socket(), name, file, true});
  return sockets;
}

}  // namespace

Sockets listen(const ListenOptions& options, std::size_t count) {
  if (!options.path.empty()) return listen_unix(options.path, options.backlog, count);
  const auto address = Address::parse(options.host, options.port);
  if (!address) {
    return std::unexpected(
        Error{Fault::BadAddress, 0,
              "not an IP address: '" + options.host + "' (names other than localhost are not looked up)"});
  }
  return listen_tcp(*address, options, count);
}

}  // namespace tern::net
