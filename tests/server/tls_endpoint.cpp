#include "server/tls_endpoint.hpp"

#include "exchange/http2.hpp"
#include "tls/test_client.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

namespace tern::testing {

bool tls_under_test() {
  const char* transport = std::getenv("TERN_TRANSPORT");
  return transport != nullptr && std::string_view(transport) == "tls";
}

bool has_tls() {
  return true;
}

tls::Config test_certificate() {
  static const tls::TemporaryDirectory files;
  static const std::string path = [] {
    const tls::Issued issued = tls::issue({.hosts = {"localhost"}});
    return files.write("server.pem", issued.certificate_pem() + issued.key_pem());
  }();
  std::vector<std::string> protocols = {"http/1.1"};
  if (exchange::has_http2()) protocols.emplace(protocols.begin(), "h2");
  return {.certificates = {{path, ""}}, .protocols = std::move(protocols)};
}

struct TlsEndpoint::Parts {
  explicit Parts(std::string_view only)
      : protocol(only),
        client({.protocols = only.empty() ? std::string() : static_cast<char>(only.size()) + std::string(only)}) {}

  std::string protocol;
  tls::TestClient client;
};

TlsEndpoint::TlsEndpoint(std::string_view protocol) : parts_(std::make_unique<Parts>(protocol)) {}
TlsEndpoint::~TlsEndpoint() = default;
TlsEndpoint::TlsEndpoint(TlsEndpoint&&) noexcept = default;
TlsEndpoint& TlsEndpoint::operator=(TlsEndpoint&&) noexcept = default;

bool TlsEndpoint::shake_hands(net::Peer& peer) {
  tls::TestClient& client = parts_->client;
  client.receive({});
  while (!client.done() || client.tickets() < 2) {
    if (!peer.send(client.output())) return false;
    const std::string some = peer.receive_some();
    if (some.empty()) return false;
    client.receive(some);
    if (client.failed()) return false;
  }
  return parts_->protocol.empty() || client.protocol() == parts_->protocol;
}

bool TlsEndpoint::send(net::Peer& peer, std::string_view bytes) {
  if (bytes.empty()) return true;
  parts_->client.send(bytes);
  return peer.send(parts_->client.output());
}

bool TlsEndpoint::has_received() const {
  return !parts_->client.received().empty();
}

std::string TlsEndpoint::receive_some(net::Peer& peer, std::size_t most) {
  if (has_received()) return parts_->client.take_received();
  for (;;) {
    const std::string some = peer.receive_some(most);
    if (some.empty()) return {};
    parts_->client.receive(some);
    std::string plain = parts_->client.take_received();
    if (!plain.empty() || parts_->client.failed()) return plain;
  }
}

bool TlsEndpoint::ended() const {
  return parts_->client.ended();
}

std::string TlsEndpoint::encrypt(std::string_view bytes) {
  if (!bytes.empty()) parts_->client.send(bytes);
  return parts_->client.output();
}

std::string TlsEndpoint::open(std::string_view bytes) {
  if (!bytes.empty()) parts_->client.receive(bytes);
  return parts_->client.take_received();
}

bool TlsEndpoint::close(net::Peer& peer) {
  parts_->client.close();
  return peer.send(parts_->client.output());
}

}  // namespace tern::testing
