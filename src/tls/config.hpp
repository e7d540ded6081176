// What a TLS listener is configured with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tern::tls {

enum class ClientAuth : std::uint8_t { None, Optional, Required };

// A certificate, with the certificates that lead to its root behind it, and its key, each a PEM file; optionally what
// its issuer's OCSP responder said last, a DER file (RFC 6960).
struct KeyPair {
  std::string certificate;
  std::string key;
  std::string ocsp = {};
};

struct Config {
  std::vector<KeyPair> certificates;  // the first is for clients that ask for no name, or for an unknown one
  std::string client_ca = {};         // PEM file of those whose client certificates are good
  ClientAuth client = ClientAuth::None;
  std::vector<std::string> protocols = {"http/1.1"};  // ALPN (RFC 7301), most wanted first
};

}  // namespace tern::tls
