// For the tests: a client on nghttp2's session, and functions that build frames.
#pragma once

#include "http2/session.hpp"

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::http2 {

using FieldPairs = std::vector<std::pair<std::string, std::string>>;

// The response on a stream.
struct ClientResponse {
  int status = 0;
  std::vector<int> interim;
  FieldPairs fields;
  FieldPairs trailers;
  std::string content;
  bool in_trailers = false;
  bool ended = false;
  bool closed = false;
  std::uint32_t error = 0;

  std::string field(std::string_view name) const {
    for (const auto& [key, value] : fields) {
      if (key == name) return value;
    }
    return "";
  }
};

// A client without a socket: output() goes to the server, input() takes the server's bytes.
class TestClient {
public:
  explicit TestClient(std::uint32_t window = 65535);
  ~TestClient() { nghttp2_session_del(session_); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // The scheme of requests, "http" by default.
  void set_scheme(std::string scheme) { scheme_ = std::move(scheme); }
  // Sends a request. Without `end`, its content stays open.
  std::int32_t request(std::string_view method, std::string_view path, const FieldPairs& more = {},
                       std::string content = {}, bool end = true);
  // Sends an extended CONNECT (RFC 8441), which stays open.
  std::int32_t connect(std::string_view protocol, std::string_view path, const FieldPairs& more = {});
  // Sends these fields, pseudo-fields included.
  std::int32_t send_head(const FieldPairs& fields, bool end = true);
  void send(std::int32_t id, std::string_view content, bool end = false);
  void send_trailers(std::int32_t id, const FieldPairs& trailers);
  void reset(std::int32_t id, std::uint32_t code = NGHTTP2_CANCEL);

  // Bytes of content that wait for a window.
  std::size_t unsent(std::int32_t id) const { return bodies_.at(id)->bytes.size() - bodies_.at(id)->taken; }
  // Opens the connection's window beyond the default of 64 KiB.
  void open_window(std::int32_t bytes = 1 << 30) {
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, bytes);
  }

  std::string output();
  bool input(std::string_view bytes);

  nghttp2_session* session() noexcept { return session_; }
  ClientResponse& at(std::int32_t id) { return answers_[id]; }
  // Of the last GOAWAY; -1 if there was none.
  long goaway() const noexcept { return goaway_; }
  std::int32_t last_stream() const noexcept { return last_stream_; }
  // The streams of the received DATA frames, in order.
  const std::vector<std::int32_t>& order() const noexcept { return order_; }

private:
  struct Body {
    std::string bytes;
    std::size_t taken = 0;
    bool end = false;
    bool deferred = false;
    FieldPairs trailers;
  };
  struct Calls;

  nghttp2_session* session_ = nullptr;
  std::string scheme_ = "http";
  std::map<std::int32_t, ClientResponse> answers_;
  std::map<std::int32_t, std::unique_ptr<Body>> bodies_;
  std::vector<std::int32_t> order_;
  long goaway_ = -1;
  std::int32_t last_stream_ = -1;
};

// Flags of frames.
inline constexpr std::uint8_t end_stream = NGHTTP2_FLAG_END_STREAM;
inline constexpr std::uint8_t end_headers = NGHTTP2_FLAG_END_HEADERS;

// Builds a frame (RFC 9113, section 4.1).
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload);
// The connection preface and an empty SETTINGS frame.
std::string client_preface();
// A literal field without indexing (RFC 7541, section 6.2.2).
std::string literal(std::string_view name, std::string_view value);
// The header block of "GET /".
std::string get_block();

}  // namespace tern::http2
