// The configuration of one address that a server serves.
#pragma once

#include "net/inherited_socket.hpp"
#include "net/listen_socket.hpp"
#include "tls/config.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tern::tls {
class Context;
}

namespace tern::transport {

struct ListenerConfig {
  net::ListenOptions address;
  std::optional<tls::Config> tls = std::nullopt;  // none: plain
  bool proxied = false;                           // each connection begins with a header of the PROXY protocol
  std::string name = {};                          // Request::listener()
  // Sockets of another process, for this listener: nothing is bound then. Moved from by Server::listen().
  std::shared_ptr<std::vector<net::InheritedSocket>> inherited = nullptr;
  bool owns_inherited_files = false;  // removes the files of inherited Unix sockets at the end
};

// Settings for the connections of a listener.
struct ConnectionConfig {
  std::shared_ptr<const tls::Context> tls;  // null: plain
  bool proxied = false;
  std::string listener = {};  // its name
};

}  // namespace tern::transport
