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

// A certificate for localhost, made once for each process.
tls::Config test_certificate();

class SecureEnd {
public:
  SecureEnd();
  ~SecureEnd();
  SecureEnd(SecureEnd&& other) noexcept;
  SecureEnd& operator=(SecureEnd&& other) noexcept;

  // To the end of the handshake, tickets of resumption included. False when it fails.
  bool shake_hands(net::Peer& peer);
  bool send(net::Peer& peer, std::string_view bytes);
  // The plain bytes of what is received next, at most that much ciphertext; none at the end, which has been announced
  // by a close_notify, or not.
  std::string receive_some(net::Peer& peer, std::size_t most);
  bool ended() const;
  // Announces our end.
  bool close(net::Peer& peer);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tern::testing
