#include "server/secure_end.hpp"

#include "tls/test_client.hpp"

#include <cstdlib>
#include <utility>

namespace tern::testing {

bool tls_under_test() {
  const char* transport = std::getenv("TERN_TRANSPORT");
  return transport != nullptr && std::string_view(transport) == "tls";
}

tls::Config test_certificate() {
  static const tls::TemporaryDirectory files;
  static const std::string path = [] {
    const tls::Issued issued = tls::issue({.hosts = {"localhost"}});
    return files.write("server.pem", issued.certificate_pem() + issued.key_pem());
  }();
  return {.certificates = {{path, ""}}};
}

struct SecureEnd::Parts {
  tls::TestClient client;
};

SecureEnd::SecureEnd() : parts_(std::make_unique<Parts>()) {}
SecureEnd::~SecureEnd() = default;
SecureEnd::SecureEnd(SecureEnd&&) noexcept = default;
SecureEnd& SecureEnd::operator=(SecureEnd&&) noexcept = default;

bool SecureEnd::shake_hands(net::Peer& peer) {
  tls::TestClient& client = parts_->client;
  client.take({});
  while (!client.done() || client.tickets() < 2) {
    if (!peer.send(client.output())) return false;
    const std::string some = peer.receive_some();
    if (some.empty()) return false;
    client.take(some);
    if (client.failed()) return false;
  }
  return true;
}

bool SecureEnd::send(net::Peer& peer, std::string_view bytes) {
  if (bytes.empty()) return true;
  parts_->client.send(bytes);
  return peer.send(parts_->client.output());
}

std::string SecureEnd::receive_some(net::Peer& peer, std::size_t most) {
  for (;;) {
    const std::string some = peer.receive_some(most);
    if (some.empty()) return {};
    parts_->client.take(some);
    std::string plain = parts_->client.take_received();
    if (!plain.empty() || parts_->client.failed()) return plain;
  }
}

bool SecureEnd::ended() const {
  return parts_->client.ended();
}

bool SecureEnd::close(net::Peer& peer) {
  parts_->client.close();
  return peer.send(parts_->client.output());
}

}  // namespace tern::testing
