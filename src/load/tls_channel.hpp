// A TLS connection of a load client (OpenSSL).
#pragma once

#include "load/plain_channel.hpp"

#include <openssl/ssl.h>
#include <memory>
#include <string>

namespace tern::load {

template <auto Free>
struct Freed {
  void operator()(auto* owned) const { Free(owned); }
};
using OwnedContext = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using OwnedTls = std::unique_ptr<SSL, Freed<SSL_free>>;

// TLS 1.2 and 1.3, for HTTP/1.1 or HTTP/2 (ALPN, RFC 7301). With `verify`, certificates are checked against those of
// the system. Throws std::runtime_error.
OwnedContext tls_context(bool verify, bool http2);

// The handshake is part of the first calls.
class TlsChannel {
public:
  TlsChannel() noexcept = default;
  // `host` is the name that is sent (SNI) and verified. With `http2`, a server that does not choose it is a failure.
  // Throws std::runtime_error.
  TlsChannel(SSL_CTX& context, PlainChannel socket, const std::string& host, bool http2);

  int descriptor() const noexcept { return socket_.descriptor(); }
  Moved send(std::string_view bytes) noexcept;
  Moved receive(std::span<char> buffer) noexcept;
  std::string failure() const;

private:
  bool has_http2() const noexcept;
  Moved moved(int result) noexcept;

  PlainChannel socket_;  // outlives tls_
  OwnedTls tls_;
  std::string failure_ = {};
  bool awaits_http2_ = false;  // until the handshake is complete
};

}  // namespace tern::load
