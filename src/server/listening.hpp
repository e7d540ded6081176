// One address that a server serves, and how.
#pragma once

#include "net/listen_socket.hpp"
#include "tls/config.hpp"

#include <memory>
#include <optional>

namespace tern::tls {
class Context;
}

namespace tern::server {

struct Listening {
  net::ListenOptions address;
  std::optional<tls::Config> tls = std::nullopt;  // none: plain
  bool proxied = false;                           // each connection begins with a header of the PROXY protocol
};

// What the connections of a listener are given.
struct Manner {
  std::shared_ptr<const tls::Context> tls;  // null: plain
  bool proxied = false;
};

}  // namespace tern::server
