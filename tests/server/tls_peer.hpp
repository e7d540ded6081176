// For tests of TLS over sockets: a client with a configurable handshake, and certificate files for the server.
#pragma once

#include "net/test_peer.hpp"
#include "tls/test_client.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tern::testing {

class TlsPeer {
public:
  explicit TlsPeer(std::uint16_t port, const tls::ClientOptions& options = {}, int receive_buffer = 0)
      : TlsPeer(net::Peer::connect(*net::Address::parse("127.0.0.1", port), receive_buffer), options) {}
  TlsPeer(net::Peer connected, const tls::ClientOptions& options) : peer(std::move(connected)), client(options) {
    client.receive({});
  }

  // False if the handshake fails.
  bool shake_hands() {
    while (!client.done() || client.tickets() < tickets_) {
      if (!peer.send(client.output()) || !receive()) return false;
    }
    return peer.send(client.output());
  }
  void send(std::string_view bytes) {
    client.send(bytes);
    peer.send(client.output());
  }
  // False at the end, or after a failure of TLS.
  bool receive(std::size_t most = 65'536) {
    const std::string some = peer.receive_some(most);
    if (!some.empty()) client.receive(some);
    return !some.empty() && !client.failed();
  }
  // Everything up to the end.
  std::string rest() {
    while (receive() && !client.ended()) {
    }
    return client.take_received();
  }
  // A response whose content ends like that.
  std::string until(std::string_view end) {
    while (!client.received().ends_with(end) && receive()) {
    }
    return client.take_received();
  }
  std::string ask(std::string_view path, std::string_view fields = "Connection: close\r\n") {
    send("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) + "\r\n");
    return rest();
  }
  void expect_tickets(int count) { tickets_ = count; }

  net::Peer peer;
  tls::TestClient client;

private:
  int tickets_ = 0;
};

}  // namespace tern::testing
