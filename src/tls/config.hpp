// The configuration of a TLS listener.
#pragma once

#include <tern/http/tls_options.hpp>

#include <string>
#include <vector>

namespace tern::tls {

struct Config {
  std::vector<TlsCertificate>
      certificates;            // the first is the default for clients without SNI, or with an unknown name
  std::string client_ca = {};  // PEM file of the trusted issuers of client certificates
  ClientCertificates client = ClientCertificates::None;
  std::vector<std::string> protocols = {"http/1.1"};  // ALPN (RFC 7301), in order of preference
};

}  // namespace tern::tls
