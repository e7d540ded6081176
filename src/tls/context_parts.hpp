// The implementation of a Context, for this room's sources.
#pragma once

#include "tls/certificate_names.hpp"
#include "tls/load.hpp"
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
  CertificateNames names;
  std::string protocols;  // in the wire format of ALPN: each with a length prefix
  std::shared_ptr<TicketKeys> tickets;
  OwnedMethod wire;
  OwnedCipher ticket_cipher;
};

}  // namespace tern::tls
