// One address that a server serves, and how.
#pragma once

#include "net/listen_socket.hpp"
#include "tls/config.hpp"

#include <optional>

namespace tern::server {

struct Listening {
  net::ListenOptions address;
  std::optional<tls::Config> tls = std::nullopt;  // none: plain
};

}  // namespace tern::server
