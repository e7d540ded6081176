// What a Context is made of, for this room's sources.
#pragma once

#include "tls/load.hpp"
#include "tls/names.hpp"
#include "tls/openssl.hpp"
#include "tls/ticket_keys.hpp"
#include "tls/wire.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tern::tls {

struct ContextParts {
  struct Host {
    OwnedContext context;
    OcspAnswer ocsp;
  };

  std::vector<Host> hosts;  // in the order of Config::certificates
  Names names;
  std::string protocols;  // as ALPN sends them: each behind its length
  std::shared_ptr<TicketKeys> tickets;
  OwnedMethod wire;
  OwnedCipher ticket_cipher;
};

}  // namespace tern::tls
