// One TLS connection of a server, in memory: ciphertext in, plain bytes out, and the other way round. Knows no socket,
// clock or thread.
//
// Life of a session. receive() is given what has arrived; the handshake answers by itself, into `out`, which the owner
// sends, whatever receive() says. When is_open(), it is known who and what the peer is, before the first plain byte is
// handed out, and send() may be called. ended() is the peer's close_notify, close() ours. After a failure `out` has the
// alert for the peer, and nothing works any more.
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

// The client's certificate, which has been verified.
struct ClientCertificate {
  std::string subject;             // RFC 4514: "CN=Anna,O=Tern"
  std::vector<std::string> names;  // subject alternative names: "DNS:a.example", "email:…", "URI:…", "IP:192.0.2.1"
  std::string serial;              // hexadecimal, in upper case
  std::string fingerprint;         // SHA-256 of the certificate, hexadecimal, in lower case
};

class Session {
public:
  // Of ciphertext, given to one receive(), and the room that its plain bytes need: with what had arrived of a record.
  static constexpr std::size_t max_received = 64 * 1024;
  static constexpr std::size_t room = max_received + 17 * 1024;

  explicit Session(std::shared_ptr<const Context> context);  // throws std::bad_alloc
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Takes all of `ciphertext`, at most max_received; returns how many bytes of `plain`, which has `room`, are filled.
  std::size_t receive(std::string_view ciphertext, std::span<char> plain, std::string& out);

  // Encrypts; only when open. False when it has failed.
  bool send(std::string_view plain, std::string& out);

  // Says that we send nothing more (close_notify), once, when it is open.
  void close(std::string& out);

  bool is_open() const noexcept { return open_ && !failed_; }
  bool failed() const noexcept { return failed_; }
  // The peer sends nothing more, by its own word.
  bool ended() const noexcept { return ended_; }
  // Why it has failed, in OpenSSL's words; a literal.
  const char* why() const noexcept { return why_; }

  // When open. Views live as long as the session.
  std::string_view protocol() const;     // by ALPN; empty: the client did not ask
  std::string_view version() const;      // "TLSv1.3"
  std::string_view cipher() const;       // "TLS_AES_256_GCM_SHA384"
  std::string_view server_name() const;  // that the client asked for; empty: none
  bool resumed() const;
  // Nothing where the client has sent none. Throws std::bad_alloc.
  std::optional<ClientCertificate> client_certificate() const;

private:
  void fail();

  const std::shared_ptr<const Context> context_;
  const std::unique_ptr<Wire> wire_;
  ssl_st* ssl_ = nullptr;
  const char* why_ = "";
  bool open_ = false;
  bool failed_ = false;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace tern::tls
