// For tests that also run over TLS (TERN_TRANSPORT=tls in the environment): the client's end, and the server's
// configuration. tls_endpoint_missing.cpp replaces it in builds without TLS.
#pragma once

#include "net/test_peer.hpp"
#include "tls/config.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tern::testing {

bool tls_under_test();

// Whether this build has TLS.
bool has_tls();

// A certificate for localhost, made once per process; the server negotiates HTTP/2 if available.
tls::Config test_certificate();

class TlsEndpoint {
public:
  // `protocol`: the only one offered (ALPN); none if it is empty.
  explicit TlsEndpoint(std::string_view protocol = {});
  ~TlsEndpoint();
  TlsEndpoint(TlsEndpoint&& other) noexcept;
  TlsEndpoint& operator=(TlsEndpoint&& other) noexcept;

  // Runs the handshake, including session tickets. False if it fails, or the protocol is not negotiated.
  bool shake_hands(net::Peer& peer);
  bool send(net::Peer& peer, std::string_view bytes);
  // Whether plaintext is available without receiving.
  bool has_received() const;
  // The plaintext of the next received bytes, at most that much ciphertext; empty at the end, with or without a
  // close_notify.
  std::string receive_some(net::Peer& peer, std::size_t most);
  bool ended() const;
  // The same without a socket: returns pending output, and the available plaintext.
  std::string encrypt(std::string_view bytes);
  std::string open(std::string_view bytes);
  // Sends close_notify.
  bool close(net::Peer& peer);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tern::testing
