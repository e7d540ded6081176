#include "net/inherited_socket.hpp"

#include "net/socket_file.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

namespace tern::net {
namespace {

Error fault(int descriptor, const std::string& what) {
  return {Fault::System, 0, "the inherited descriptor " + std::to_string(descriptor) + " " + what};
}

int option_of(const Descriptor& socket, int option) noexcept {
  int value = -1;
  socklen_t length = sizeof value;
  return ::getsockopt(socket.number(), SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

std::string path_of(const sockaddr_storage& address, socklen_t length) {
  sockaddr_un system{};
  std::copy_n(reinterpret_cast<const char*>(&address), std::min<std::size_t>(length, sizeof system),
              reinterpret_cast<char*>(&system));
  constexpr std::size_t begin = offsetof(sockaddr_un, sun_path);
  if (length <= begin) return {};
  std::string path(system.sun_path, length - begin);
  if (path.front() == '\0') {
    path.front() = '@';  // an abstract address, as it is usually written
  } else {
    path.resize(std::min(path.find('\0'), path.size()));
  }
  return path;
}

std::expected<InheritedSocket, Error> adopt(Descriptor descriptor, std::string_view name) {
  const int number = descriptor.number();
  InheritedSocket socket{std::move(descriptor), std::string(name)};
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0) return std::unexpected(fault(number, "is not open"));
  if (option_of(socket.descriptor, SO_TYPE) != SOCK_STREAM || option_of(socket.descriptor, SO_ACCEPTCONN) != 1) {
    return std::unexpected(fault(number, "is no listening stream socket"));
  }
  if (::fcntl(number, F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(number, F_SETFL, flags | O_NONBLOCK) != 0) {
    return std::unexpected(fault(number, "cannot be used: " + std::generic_category().message(errno)));
  }
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(number, reinterpret_cast<sockaddr*>(&address), &length);
  if (address.ss_family == AF_UNIX) {
    socket.address = Address::unix_socket();
    socket.path = path_of(address, length);
  } else if (address.ss_family == AF_INET || address.ss_family == AF_INET6) {
    socket.address = Address::from(address);
    const int on = 1;
    ::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // accepted sockets inherit it
  } else {
    return std::unexpected(fault(number, "is neither of TCP nor a Unix socket"));
  }
  return socket;
}

std::string name_of(const InheritedSocket& socket) {
  return socket.address.family() == Address::Family::Unix ? "unix:" + socket.path : socket.address.to_string();
}

bool same_address(const InheritedSocket& a, const InheritedSocket& b) {
  return a.address == b.address && a.path == b.path;
}

// A socket for each loop, or several: those of one address.
std::expected<void, Error> spread(std::vector<InheritedSocket> group, bool owns_files,
                                  std::vector<std::vector<ListenSocket>>& loops) {
  const std::string name = name_of(group.front());
  const Address address = group.front().address;
  std::shared_ptr<SocketFile> file;
  const std::string& path = group.front().path;
  if (owns_files && path.starts_with('/')) file = std::make_shared<SocketFile>(path);
  const bool shared = group.size() < loops.size();
  for (std::size_t loop = 0; loop < loops.size() && shared; ++loop) {
    const Descriptor& socket = group[loop % group.size()].descriptor;
    Descriptor copy = socket.duplicate();
    if (!copy) return std::unexpected(Error{Fault::System, errno, "no descriptor is left for " + name});
    loops[loop].push_back({std::move(copy), address, name, file, true});
  }
  for (std::size_t i = 0; i < group.size() && !shared; ++i) {
    loops[i % loops.size()].push_back({std::move(group[i].descriptor), address, name, file, false});
  }
  return {};
}

}  // namespace

std::expected<std::vector<InheritedSocket>, Error> inherited_sockets(int first, std::size_t count,
                                                                     std::string_view names) {
  std::vector<Descriptor> owned;  // all are closed where one is of no use
  for (std::size_t i = 0; i < count; ++i) owned.emplace_back(first + static_cast<int>(i));
  std::vector<InheritedSocket> sockets;
  for (Descriptor& descriptor : owned) {
    const std::size_t end = std::min(names.find(':'), names.size());
    auto socket = adopt(std::move(descriptor), names.substr(0, end));
    if (!socket) return std::unexpected(std::move(socket.error()));
    sockets.push_back(std::move(*socket));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return sockets;
}

bool is_for(const InheritedSocket& socket, const ListenOptions& options) {
  const bool is_unix = socket.address.family() == Address::Family::Unix;
  if (!options.path.empty()) return is_unix && socket.path == options.path;
  const std::uint16_t port = options.port != 0 ? options.port : socket.address.port();
  return !is_unix && Address::parse(options.host, port) == socket.address;
}

std::expected<std::vector<std::vector<ListenSocket>>, Error> share_out(std::vector<InheritedSocket> sockets,
                                                                       std::size_t loops, bool owns_files) {
  std::vector<std::vector<ListenSocket>> result(loops);
  while (!sockets.empty()) {
    std::vector<InheritedSocket> group;
    group.push_back(std::move(sockets.front()));
    sockets.erase(sockets.begin());
    for (auto socket = sockets.begin(); socket != sockets.end();) {
      if (!same_address(*socket, group.front())) {
        ++socket;
        continue;
      }
      group.push_back(std::move(*socket));
      socket = sockets.erase(socket);
    }
    if (auto spread_out = spread(std::move(group), owns_files, result); !spread_out) {
      return std::unexpected(std::move(spread_out.error()));
    }
  }
  return result;
}

}  // namespace tern::net
