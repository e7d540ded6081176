// The server side of one TLS connection in memory: ciphertext in, plaintext out, and vice versa. No socket, clock or
// thread.
//
// Life of a session: receive() gets the received bytes and runs the handshake; the owner always sends `out`. Once
// is_open(), the peer and the negotiated parameters are known, before any plaintext is returned, and send() may be
// called. ended() reports the peer's close_notify, close() sends the server's. After a failure, `out` has the alert for
// the peer, and the session is unusable.
#pragma once

#include "tls/context.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct ssl_st;

namespace tern::tls {

struct Wire;

// The client's certificate, verified.
struct ClientCertificate {
  std::string subject;             // RFC 4514: "CN=Anna,O=Tern"
  std::vector<std::string> names;  // subject alternative names: "DNS:a.example", "email:…", "URI:…", "IP:192.0.2.1"
  std::string serial;              // hexadecimal, in upper case
  std::string fingerprint;         // SHA-256 of the certificate, hexadecimal, in lower case
};

class Session {
public:
  // Bytes of ciphertext per receive(), and the space needed for their plaintext, including earlier bytes of a record.
  static constexpr std::size_t max_received = 64 * 1024;
  static constexpr std::size_t room = max_received + 17 * 1024;

  explicit Session(std::shared_ptr<const Context> context);  // throws std::bad_alloc
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Consumes all of `ciphertext`, at most max_received; returns the number of bytes written to `plain`, which has
  // `room`.
  std::size_t receive(std::string_view ciphertext, std::span<char> plain, std::string& out);

  // Encrypts; only when open. False on failure.
  bool send(std::string_view plain, std::string& out);

  // Sends close_notify, once, when open.
  void close(std::string& out);

  bool is_open() const noexcept { return open_ && !failed_; }
  bool failed() const noexcept { return failed_; }
  // The peer has sent close_notify.
  bool ended() const noexcept { return ended_; }
  // OpenSSL's reason for the failure; a literal.
  const char* error() const noexcept { return error_; }

  // When open. Views live as long as the session.
  std::string_view protocol() const;     // by ALPN; empty: the client did not offer any
  std::string_view version() const;      // "TLSv1.3"
  std::string_view cipher() const;       // "TLS_AES_256_GCM_SHA384"
  std::string_view server_name() const;  // requested by the client (SNI); empty: none
  bool resumed() const;
  // Unset if the client has sent none. Throws std::bad_alloc.
  std::optional<ClientCertificate> client_certificate() const;

private:
  void fail();

  const std::shared_ptr<const Context> context_;
  const std::unique_ptr<Wire> wire_;
  ssl_st* ssl_ = nullptr;
  const char* error_ = "";
  bool open_ = false;
  bool failed_ = false;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace tern::tls
