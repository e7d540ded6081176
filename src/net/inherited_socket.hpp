// Listening sockets that another process has opened: a service manager (socket activation), or a predecessor.
#pragma once

#include "net/listen_socket.hpp"

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tern::net {

struct InheritedSocket {
  Descriptor descriptor;
  std::string name = {};  // as the other process calls it (LISTEN_FDNAMES)
  Address address = {};   // of a Unix socket: Address::unix_socket()
  std::string path = {};  // of a Unix socket
};

// `count` descriptors from `first` on, which are closed on exec from now on. `names` has colons between them, and may
// be empty. An error if one is not a listening stream socket; then none stays open.
std::expected<std::vector<InheritedSocket>, Error> inherited_sockets(int first, std::size_t count,
                                                                     std::string_view names);

// Whether a socket is one that listen() could open for these options.
bool is_for(const InheritedSocket& socket, const ListenOptions& options);

// The sockets of one listener, for each of `loops`. Sockets of one address, as a predecessor with SO_REUSEPORT has
// them, are spread over the loops; a single one is shared by all. With `owns_files`, the files of Unix sockets are
// removed at the end.
std::expected<std::vector<std::vector<ListenSocket>>, Error> share_out(std::vector<InheritedSocket> sockets,
                                                                       std::size_t loops, bool owns_files);

}  // namespace tern::net
