#include "transports/client_protocol.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace tern::testing {
namespace {

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) ADD_FAILURE() << "not a number: " << text;
  return value;
}

std::string chunk(std::string_view bytes) {
  if (bytes.empty()) return {};
  char size[20];
  const auto [end, error] = std::to_chars(size, size + sizeof size, bytes.size(), 16);
  return std::string(size, end).append("\r\n").append(bytes).append("\r\n");
}

bool has(const FieldPairs& fields, std::string_view name) {
  return std::ranges::any_of(fields, [name](const auto& field) { return field.first == name; });
}

class Http1ClientProtocol final : public ClientProtocol {
public:
  void ask(const ClientRequest& request) override {
    to_head_ = request.method == "HEAD";
    chunked_ = !request.end && !request.websocket && !has(request.fields, "content-length");
    state_ = State::Head;
    output_.append(request.method).append(" ").append(request.path).append(" HTTP/1.1\r\nHost: a\r\n");
    for (const auto& [name, value] : request.fields) output_.append(name).append(": ").append(value).append("\r\n");
    if (request.websocket) {
      output_.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    } else if (chunked_) {
      output_.append("Transfer-Encoding: chunked\r\n");
    } else if (!has(request.fields, "content-length") && (request.method == "POST" || !request.content.empty())) {
      output_.append("Content-Length: ").append(std::to_string(request.content.size())).append("\r\n");
    }
    output_.append("\r\n").append(chunked_ ? chunk(request.content) : std::string(request.content));
  }
  void send_content(std::string_view content, bool end) override {
    output_.append(chunked_ ? chunk(content) : std::string(content));
    if (chunked_ && end) output_.append("0\r\n\r\n");
  }
  void trailers(const FieldPairs& fields) override {
    output_.append("0\r\n");
    for (const auto& [name, value] : fields) output_.append(name).append(": ").append(value).append("\r\n");
    output_.append("\r\n");
  }
  bool cancel() override { return false; }

  void take(std::string_view bytes, ClientResponse& response) override {
    input_.append(bytes);
    while (!response.complete && step(response)) {
    }
    input_.erase(0, std::exchange(at_, 0));
  }
  void ended(ClientResponse& response) override {
    if (state_ == State::UntilEnd && response.status != 0) {
      response.complete = true;
    } else if (!response.complete) {
      response.broken = true;
    }
  }
  bool closed_gracefully() const override { return true; }  // the last answer may have come long before
  std::string output() override { return std::exchange(output_, {}); }

private:
  enum class State : std::uint8_t { Head, Counted, ChunkSize, Chunk, ChunkEnd, Trailers, UntilEnd };

  // False when more must come first.
  bool step(ClientResponse& response) {
    switch (state_) {
      case State::Head: return head(response);
      case State::Counted: content(response); break;
      case State::ChunkSize: {
        const auto line = until("\r\n");
        if (line.empty()) return false;
        left_ = number(line.substr(0, line.size() - 2), 16);
        state_ = left_ == 0 ? State::Trailers : State::Chunk;
        return true;
      }
      case State::Chunk:
        content(response);
        if (left_ == 0) state_ = State::ChunkEnd;
        return left_ == 0;
      case State::ChunkEnd: {
        const auto line = until("\r\n");
        if (line.empty()) return false;
        EXPECT_EQ(line, "\r\n");
        state_ = State::ChunkSize;
        return true;
      }
      case State::Trailers: {
        const auto line = until("\r\n");
        if (line.empty()) return false;
        response.complete = line.size() == 2;
        if (line.size() != 2) add(response.trailers, line);
        return true;
      }
      case State::UntilEnd:
        response.content.append(input_, at_);
        at_ = input_.size();
        return false;
    }
    if (left_ == 0) response.complete = true;
    return false;
  }

  bool head(ClientResponse& response) {
    std::string_view text = until("\r\n\r\n");
    if (text.empty()) return false;
    EXPECT_TRUE(text.starts_with("HTTP/1.1 ")) << text;
    const int status = static_cast<int>(number(text.substr(9, 3), 10));
    FieldPairs fields;
    for (text.remove_prefix(text.find("\r\n") + 2); text.size() > 2; text.remove_prefix(text.find("\r\n") + 2)) {
      add(fields, text.substr(0, text.find("\r\n") + 2));
    }
    if (status < 200 && status != 101) {
      response.interim.push_back(status);
      return true;
    }
    response.status = status;
    response.fields = std::move(fields);
    const std::string length = response.field("content-length");
    const bool none = to_head_ || status == 204 || status == 304;
    left_ = none || length.empty() ? 0 : number(length, 10);
    if (status == 101) {
      state_ = State::UntilEnd;
    } else if (none || !length.empty()) {
      state_ = State::Counted;
    } else {
      state_ = response.field("transfer-encoding") == "chunked" ? State::ChunkSize : State::UntilEnd;
    }
    return true;
  }
  void content(ClientResponse& response) {
    const std::size_t size = std::min(left_, input_.size() - at_);
    response.content.append(input_, at_, size);
    at_ += size;
    left_ -= size;
  }
  static void add(FieldPairs& fields, std::string_view line) {
    const std::size_t colon = line.find(": ");
    ASSERT_NE(colon, line.npos) << line;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    fields.emplace_back(std::move(name), line.substr(colon + 2, line.size() - colon - 4));
  }
  std::string_view until(std::string_view end) {
    const std::size_t found = input_.find(end, at_);
    if (found == input_.npos) return {};
    const std::size_t from = std::exchange(at_, found + end.size());
    return std::string_view(input_).substr(from, at_ - from);
  }

  std::string output_;
  std::string input_;
  std::size_t at_ = 0;
  std::size_t left_ = 0;
  State state_ = State::Head;
  bool to_head_ = false;
  bool chunked_ = false;  // the request
};

}  // namespace

std::unique_ptr<ClientProtocol> http1_client_protocol() {
  return std::make_unique<Http1ClientProtocol>();
}

}  // namespace tern::testing
