// For tests that are run over TLS, too (TERN_TRANSPORT=tls in the environment): the client's end of it, and what a
// server needs for it. secure_end_missing.cpp stands in where TLS is left out.
#pragma once

#include "net/test_peer.hpp"
#include "tls/config.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tern::testing {

bool tls_under_test();

// Whether there is TLS at all.
bool has_tls();

// A certificate for localhost, made once for each process, for a server that speaks HTTP/2 where it can.
tls::Config test_certificate();

class SecureEnd {
public:
  // `protocol`: the only one that is offered (ALPN); none where it is empty.
  explicit SecureEnd(std::string_view protocol = {});
  ~SecureEnd();
  SecureEnd(SecureEnd&& other) noexcept;
  SecureEnd& operator=(SecureEnd&& other) noexcept;

  // To the end of the handshake, tickets of resumption included. False when it fails, or the protocol is not agreed on.
  bool shake_hands(net::Peer& peer);
  bool send(net::Peer& peer, std::string_view bytes);
  // Whether there are plain bytes that need no more receiving.
  bool has_received() const;
  // The plain bytes of what is received next, at most that much ciphertext; none at the end, which has been announced
  // by a close_notify, or not.
  std::string receive_some(net::Peer& peer, std::size_t most);
  bool ended() const;
  // The same without a socket: what is to be sent, and what plain bytes there are by now.
  std::string seal(std::string_view bytes);
  std::string open(std::string_view bytes);
  // Announces our end.
  bool close(net::Peer& peer);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tern::testing
