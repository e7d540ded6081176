// The configuration of one address that a server serves.
#pragma once

#include "net/listen_socket.hpp"
#include "tls/config.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tern::tls {
class Context;
}

namespace tern::transport {

struct ListenerConfig {
  net::ListenOptions address;
  std::optional<tls::Config> tls = std::nullopt;  // none: plain
  bool proxied = false;                           // each connection begins with a header of the PROXY protocol
  std::string name = {};                          // Request::listener()
};

// Settings for the connections of a listener.
struct ConnectionConfig {
  std::shared_ptr<const tls::Context> tls;  // null: plain
  bool proxied = false;
  std::string listener = {};  // its name
};

}  // namespace tern::transport
