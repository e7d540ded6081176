// OpenSSL for bench-tls: TLS 1.3 with AES-128-GCM and X25519, without certificate verification.
#pragma once

#include <memory>

#include <openssl/ssl.h>

namespace bench {

template <auto Free>
struct Freed {
  void operator()(auto* owned) const { Free(owned); }
};
using OwnedContext = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using OwnedSession = std::unique_ptr<SSL_SESSION, Freed<SSL_SESSION_free>>;
using OwnedTls = std::unique_ptr<SSL, Freed<SSL_free>>;

// Its connections store the last ticket received in `session`, and read up to `read_ahead` bytes at once.
OwnedContext client_context(OwnedSession& session, std::size_t read_ahead);

// For a connected socket. Resumes `session` if it is not null.
OwnedTls client_tls(SSL_CTX& context, int socket, SSL_SESSION* session);

}  // namespace bench
