// An HTTP/2 client for tests, by prior knowledge or, when TLS is tested, by ALPN: nghttp2's client over a blocking
// socket.
#pragma once

#include "http2/test_client.hpp"
#include "server/running_server.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tern::testing {

class Http2Client {
public:
  // `window`: bytes of content that the server may send on a stream before more is read.
  explicit Http2Client(std::uint16_t port, std::uint32_t window = 65535, int receive_buffer = 0)
      : client_(port, receive_buffer, tls_under_test(), "h2"), http2_(window) {
    if (tls_under_test()) http2_.set_scheme("https");
  }

  http2::TestClient& http2() { return http2_; }
  net::Peer& peer() { return client_.peer(); }

  std::int32_t get(std::string_view path, const http2::FieldPairs& fields = {}) {
    return sent(http2_.request("GET", path, fields));
  }
  std::int32_t request(std::string_view method, std::string_view path, const http2::FieldPairs& fields = {},
                       std::string content = {}, bool end = true) {
    return sent(http2_.request(method, path, fields, std::move(content), end));
  }
  std::int32_t post(std::string_view path, std::string content) {
    return request("POST", path, {}, std::move(content));
  }
  std::int32_t connect(std::string_view protocol, std::string_view path, const http2::FieldPairs& fields = {}) {
    return sent(http2_.connect(protocol, path, fields));
  }
  // Provokes output of the server.
  void ping() {
    nghttp2_submit_ping(http2_.session(), NGHTTP2_FLAG_NONE, nullptr);
    flush();
  }
  void send(std::int32_t id, std::string_view content, bool end = false) {
    http2_.send(id, content, end);
    flush();
  }
  void reset(std::int32_t id) {
    http2_.reset(id);
    flush();
  }
  void flush() { client_.send(http2_.output()); }
  // Sends these bytes after the pending output.
  void send_frames(std::string_view bytes) { client_.send(bytes); }

  // Reads until `condition` is true; false if the connection ends before.
  template <class F>
  bool until(F condition) {
    flush();
    while (!condition()) {
      const std::string some = client_.receive_some();
      if (some.empty()) return false;
      EXPECT_TRUE(http2_.input(some));
      flush();
    }
    return true;
  }
  // Whether input or the end arrives within this time.
  bool readable_within(int milliseconds) { return client_.readable_within(milliseconds); }
  // The complete response, or its received part when the stream or the connection ends.
  http2::ClientResponse& answer(std::int32_t id) {
    http2::ClientResponse& answer = http2_.at(id);
    until([&] { return answer.ended || answer.closed; });
    return answer;
  }
  http2::ClientResponse& ask(std::string_view path, const http2::FieldPairs& fields = {}) {
    return answer(get(path, fields));
  }
  // Whether the server ends the connection with a GOAWAY of this code.
  bool ends_with(std::uint32_t code) {
    until([] { return false; });
    return http2_.goaway() == long{code};
  }

private:
  std::int32_t sent(std::int32_t id) {
    flush();
    return id;
  }

  HttpClient client_;
  http2::TestClient http2_;
};

}  // namespace tern::testing
