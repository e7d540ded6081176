// A client for tests: a blocking socket with a timeout, and a strict HTTP/1.1 reader.
#pragma once

#include "net/test_peer.hpp"
#include "server/tls_endpoint.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::testing {

struct HttpAnswer {
  int status = 0;
  std::string version;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;

  // The value of the only field of that name (in lower case); empty if there is none.
  std::string field(std::string_view name) const {
    std::string found;
    for (const auto& [other, value] : fields) {
      if (other != name) continue;
      if (!found.empty()) ADD_FAILURE() << "twice: " << name;
      found = value;
    }
    return found;
  }
  bool closes() const { return field("connection") == "close"; }
};

class HttpClient {
public:
  // Over TLS when TLS is tested, unless requested otherwise. `protocol`: for ALPN, if any.
  explicit HttpClient(std::uint16_t port, int receive_buffer = 0, bool over_tls = tls_under_test(),
                      std::string_view protocol = {})
      : peer_(net::Peer::connect(*net::Address::parse("127.0.0.1", port), receive_buffer)) {
    if (!peer_) ADD_FAILURE() << "cannot connect";
    const int on = 1;
    ::setsockopt(peer_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (over_tls) secure_.emplace(protocol);
  }
  explicit HttpClient(net::Peer peer) : peer_(std::move(peer)) {}

  net::Peer& peer() { return peer_; }

  // False if the peer does not read any more.
  bool send(std::string_view bytes) { return begin() && (secure_ ? secure_->send(peer_, bytes) : peer_.send(bytes)); }
  // The next bytes; empty at the end.
  std::string receive_some(std::size_t most = 65'536) {
    if (!begin()) return {};
    return secure_ ? secure_->receive_some(peer_, most) : peer_.receive_some(most);
  }
  void send_bytewise(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size() && send(bytes.substr(i, 1)); ++i) {
    }
  }
  void get(std::string_view path, std::string_view fields = {}) {
    send("GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) + "\r\n");
  }
  void post(std::string_view path, std::string_view body, std::string_view fields = {}) {
    send("POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }

  // The next response; status 0 if the connection ends before it. `to_head`: without content.
  HttpAnswer answer(bool to_head = false) {
    HttpAnswer answer;
    const std::string head = take_until("\r\n\r\n");
    if (head.empty()) return answer;
    parse_head(head, answer);
    const std::string length = answer.field("content-length");
    if (to_head || answer.status < 200 || answer.status == 204 || answer.status == 304) return answer;
    if (answer.field("transfer-encoding") == "chunked") {
      take_chunks(answer.body);
    } else if (!length.empty()) {
      answer.body = take(number(length, 10));
    } else {
      answer.body = rest();
    }
    return answer;
  }

  HttpAnswer ask(std::string_view path) {
    get(path);
    return answer();
  }

  // Whether input or the end arrives within this time.
  bool readable_within(int milliseconds) {
    if (secure_ && secure_->has_received()) return true;
    pollfd ready{.fd = peer_.number(), .events = POLLIN, .revents = 0};
    return at_ != buffer_.size() || ::poll(&ready, 1, milliseconds) == 1;
  }
  // Whether the peer has ended gracefully, without further bytes.
  bool ends() {
    if (at_ != buffer_.size()) return false;
    return receive_some().empty() && peer_.error() == 0 && (!secure_ || secure_->ended());
  }
  // Whether it has ended, in any way, after any bytes.
  bool is_gone() {
    while (!receive_some().empty()) {
    }
    return true;
  }
  // Everything up to the end.
  std::string rest() {
    std::string all = buffer_.substr(std::exchange(at_, 0));
    buffer_.clear();
    for (std::string some = receive_some(); !some.empty(); some = receive_some()) all += some;
    return all;
  }
  std::string take(std::size_t count) {
    while (buffer_.size() - at_ < count && receive()) {
    }
    std::string taken = buffer_.substr(at_, count);
    at_ += taken.size();
    if (taken.size() < count) {
      ADD_FAILURE() << "the connection ended within " << count << " bytes, after " << taken.size();
    }
    return taken;
  }

private:
  // The handshake, before the first byte: connecting alone does not wait.
  bool begin() {
    if (!secure_ || begun_) return true;
    begun_ = true;
    return secure_->shake_hands(peer_);
  }

  static std::size_t number(std::string_view text, int base) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) ADD_FAILURE() << "not a number: " << text;
    return value;
  }

  bool receive() {
    buffer_.erase(0, std::exchange(at_, 0));
    const std::string some = receive_some(1024 * 1024);
    buffer_ += some;
    return !some.empty();
  }

  std::string take_until(std::string_view end) {
    std::size_t found = buffer_.find(end, at_);
    while (found == std::string::npos) {
      if (!receive()) {
        EXPECT_EQ(buffer_, "") << "the connection ended within a head";
        return {};
      }
      found = buffer_.find(end);
    }
    std::string taken = buffer_.substr(at_, found + end.size() - at_);
    at_ = found + end.size();
    return taken;
  }

  static void parse_head(std::string_view head, HttpAnswer& answer) {
    std::size_t at = head.find("\r\n");
    const std::string_view line = head.substr(0, at);
    if (line.size() < 13 || !line.starts_with("HTTP/1.")) ADD_FAILURE() << "not a status line: " << line;
    answer.version = line.substr(0, 8);
    answer.status = static_cast<int>(number(line.substr(9, 3), 10));
    for (at += 2; at + 2 < head.size();) {
      const std::size_t end = head.find("\r\n", at);
      const std::string_view field = head.substr(at, end - at);
      const std::size_t colon = field.find(": ");
      if (colon == field.npos) {
        ADD_FAILURE() << "not a field: " << field;
        return;
      }
      std::string name(field.substr(0, colon));
      std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
      answer.fields.emplace_back(std::move(name), field.substr(colon + 2));
      at = end + 2;
    }
  }

  void take_chunks(std::string& body) {
    while (true) {
      const std::string line = take_until("\r\n");
      if (line.empty()) return;
      const std::size_t size = number(std::string_view(line).substr(0, line.size() - 2), 16);
      body += take(size);
      EXPECT_EQ(take(2), "\r\n");
      if (size == 0) return;
    }
  }

  net::Peer peer_;
  std::optional<TlsEndpoint> secure_;
  bool begun_ = false;
  std::string buffer_;
  std::size_t at_ = 0;  // bytes consumed
};

}  // namespace tern::testing
