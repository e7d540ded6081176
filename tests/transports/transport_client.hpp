// A client for tests over any transport: HTTP/1.1 or HTTP/2, in clear text or under TLS. It sends one request at a
// time, on one connection.
#pragma once

#include "net/test_peer.hpp"
#include "server/tls_endpoint.hpp"
#include "transports/client_protocol.hpp"
#include "transports/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tern::testing {

// Only functions that say so wait. Output that the server does not read yet is queued, and sent while waiting for a
// response.
class TransportClient {
public:
  TransportClient(Transport transport, std::uint16_t port, int receive_buffer = 0);

  // --- The request ---

  void ask(const ClientRequest& request);
  void get(std::string_view path, FieldPairs fields = {}) { ask({.path = path, .fields = std::move(fields)}); }
  void post(std::string_view path, std::string_view content, FieldPairs fields = {}) {
    ask({.method = "POST", .path = path, .fields = std::move(fields), .content = content});
  }
  // A POST whose content continues.
  void begin(std::string_view path, std::string_view content = {}, FieldPairs fields = {}) {
    ask({.method = "POST", .path = path, .fields = std::move(fields), .content = content, .end = false});
  }
  void send(std::string_view content, bool end = false);
  void end() { send({}, true); }
  void end_with(const FieldPairs& trailers);

  // --- The response ---

  // The part received so far.
  const ClientResponse& response_so_far() const { return response_; }
  // Waits for more of it. False if there will be none.
  bool receive();
  // Reads available input, and sends queued output as far as possible, without waiting.
  void take_ready();
  // Waits until `condition` is true of response_so_far(). False if it never will be.
  template <class F>
  bool until(F condition) {
    while (!condition(response_)) {
      if (!receive()) return condition(response_);
    }
    return true;
  }
  // Waits until the content contains `part`.
  bool until_content(std::string_view part) {
    return until([part](const ClientResponse& response) { return response.content.contains(part); });
  }
  // Waits for the complete response.
  const ClientResponse& answer();
  const ClientResponse& answer_of(std::string_view path) {
    get(path);
    return answer();
  }
  // Whether input or the end arrives within this time.
  bool readable_within(int milliseconds);

  // --- Ends ---

  // Cancels the request: over HTTP/1.1 with its connection.
  void cancel();
  void reset() { peer_.reset(); }
  void close() { peer_.close(); }
  // Ends the client's sending side.
  void end_side();
  // Whether the server ends the connection gracefully: with close_notify over TLS, with GOAWAY over HTTP/2.
  bool ends();
  // Waits for the end, graceful or not.
  void await_end();

private:
  void flush();
  void push();
  std::string receive_some();

  net::Peer peer_;
  std::optional<TlsEndpoint> secure_;
  std::unique_ptr<ClientProtocol> protocol_;
  ClientResponse response_;
  std::string waiting_;   // not accepted by the socket yet,
  std::size_t sent_ = 0;  // from this offset on
  bool handshake_done_ = false;
  bool side_ended_ = false;
  bool ended_ = false;
  bool broken_ = false;  // the end was not graceful
};

}  // namespace tern::testing
