// WebSocket: a handle on a WebSocket (RFC 6455), its messages and options.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/response.hpp>
#include <tern/http/when_full.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// A received message; text is UTF-8.
struct Message {
  std::string content;
  bool is_text = true;
  operator std::string_view() const noexcept { return content; }  // NOLINT: its content
};

// The same as views, valid during the call.
struct MessageView {
  std::string_view content;
  bool is_text = true;
  operator std::string_view() const noexcept { return content; }  // NOLINT
};

// The result of sending: passed to the socket, its queue or its loop; dropped, because too much is queued; or not sent,
// because the WebSocket is closed or closing.
enum class SendStatus : std::uint8_t { Sent, Dropped, Closed };

// permessage-deflate (RFC 7692). Separate: without context takeover; no memory between messages. Together: with context
// takeover; messages refer to earlier ones, which compresses small ones well and costs about 300 KiB per WebSocket at
// 15 window bits.
enum class Compression : std::uint8_t { Off, Separate, Together };

struct WebSocketOptions {
  std::size_t max_message = 1024 * 1024;  // bytes of a received message after inflating; beyond: close code 1009
  std::size_t max_queued = 1024 * 1024;   // bytes that wait for the peer; one message may exceed it
  WhenFull when_full = WhenFull::Wait;
  Milliseconds ping = Seconds(30);          // silence of the peer before a ping is sent; zero: no pings
  Milliseconds pong = Seconds(20);          // further silence before the connection is closed
  Milliseconds close_timeout = Seconds(5);  // for the peer's close frame
  std::vector<std::string> protocols = {};  // subprotocols in order of preference
  std::vector<std::string> origins = {};    // allowed origins of pages besides the server's own; "*": all
  Compression compression = Compression::Off;
  int window_bits = 15;  // for compression, 9 to 15: fewer use less memory
};

// Whether one can publish to this topic: 1 to 1024 bytes, without the wildcards '+' and '#'.
bool is_topic(std::string_view text) noexcept;

class WebSocket;

namespace http {

class SocketLink;

// co_await socket.receive(): resumed while the message's bytes are in the cache.
class ReceiveWait : private Turn, private StopCallback {
public:
  explicit ReceiveWait(SocketLink* link) noexcept : link_(link) {}
  ReceiveWait(const ReceiveWait&) = delete;
  ReceiveWait& operator=(const ReceiveWait&) = delete;
  ~ReceiveWait();

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return wait(waiting, coro::stop_of(waiting));
  }
  std::optional<Message> await_resume();

private:
  friend class SocketLink;
  bool wait(std::coroutine_handle<> waiting, StopState* stop);
  void end() noexcept;
  void on_stop() noexcept override;
  void on_turn() noexcept override;

  SocketLink* link_;
  Executor* executor_ = nullptr;
  std::coroutine_handle<> waiting_;
  std::optional<Message> message_;
  bool stopped_ = false;
};

}  // namespace http

// The result of send(), available at once, or by co_await.
class SendResult {
public:
  explicit SendResult(SendStatus status) noexcept : status_(status) {}
  explicit SendResult(Task<SendStatus> later) noexcept : status_(SendStatus::Dropped), later_(std::move(later)) {}

  SendStatus status() const noexcept { return status_; }
  operator SendStatus() const noexcept { return status_; }  // NOLINT: its value

  bool await_ready() const noexcept { return !later_; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return coro::start_for(waiting, later_);
  }
  SendStatus await_resume() { return later_ ? later_.result() : status_; }

private:
  SendStatus status_;
  Task<SendStatus> later_;
};

// A handle on a WebSocket: small, and safe to copy, store and use from any thread, also after the peer or the server is
// gone (send() returns Closed). Messages from other threads are posted to the WebSocket's loop, which sends them in
// order.
class WebSocket {
public:
  WebSocket() noexcept = default;  // closed
  WebSocket(const WebSocket& other) noexcept;
  WebSocket(WebSocket&& other) noexcept : link_(std::exchange(other.link_, nullptr)) {}
  WebSocket& operator=(WebSocket other) noexcept {
    std::swap(link_, other.link_);
    return *this;
  }
  ~WebSocket();

  // Text must be UTF-8 (RFC 6455, section 5.6): otherwise send() throws std::invalid_argument on the calling thread,
  // without sending. Messages of one iteration are sent together.
  SendResult send(std::string_view text) const { return send_text(text); }
  SendResult send(const char* text) const { return send_text(text); }
  SendResult send(const std::string& text) const { return send_text(text); }
  SendResult send_binary(std::string_view bytes) const { return send_message(bytes, false); }
  SendResult send(const Message& message) const { return send(MessageView{message.content, message.is_text}); }
  SendResult send(MessageView message) const {
    return message.is_text ? send_text(message.content) : send_message(message.content, false);
  }
  // Sends JSON: tern::Json{value}, declared in app/extract.hpp.
  template <template <class> class Json, class T>
    requires requires(const Json<T>& json, std::string& out) { append_json(out, json); }
  SendResult send(const Json<T>& json) const {
    std::string text;
    append_json(text, json);
    return send_message(text, true);
  }

  // The next message; unset when the WebSocket is closed or closing. Only for coroutines on its loop, one at a time.
  // Without a receiver, a few messages are queued; then the peer is not read.
  http::ReceiveWait receive() const noexcept { return http::ReceiveWait(link_); }

  // Begins the closing handshake: code 1000, or 3000 to 4999, and a reason of at most 123 bytes of UTF-8. Other codes
  // become 1000; a longer reason is truncated, and one that is not UTF-8 is omitted.
  void close(std::uint16_t code = 1000, std::string_view reason = {}) const;

  // From any thread: false from the begin of the closing handshake.
  bool is_open() const noexcept;
  // Bytes that wait for the peer; 0 on other threads than the WebSocket's loop.
  std::size_t queued() const noexcept;
  // The negotiated subprotocol; empty: none.
  std::string_view protocol() const noexcept;
  // The close code, for the coroutine after receive() has returned an unset value: 1005 if the peer sent none, 1006 if
  // the connection was lost, 0 while the WebSocket is open.
  std::uint16_t close_code() const noexcept;

  // Subscribes to exactly this topic: '+' and '#' have no special meaning. Safe for text from a client. Throws
  // std::invalid_argument unless the topic has 1 to 1024 bytes.
  void subscribe(std::string_view topic) const;
  void unsubscribe(std::string_view topic) const;
  // Subscribes to all topics that match `filter`. Levels are separated by '/'; a level "+" matches any one level, a
  // last level "#" matches all remaining ones (also none). A message is sent once, even if several filters match. Do
  // not build filters from a client's text. Throws std::invalid_argument for an invalid filter.
  void subscribe_filter(std::string_view filter) const;
  void unsubscribe_filter(std::string_view filter) const;
  // Publishes to all subscribers, as App::publish() does, except this WebSocket. Throws std::invalid_argument unless
  // is_topic(topic), and for text that is not UTF-8.
  void publish(std::string_view topic, std::string_view text) const { publish_message(topic, text, true); }
  void publish_binary(std::string_view topic, std::string_view bytes) const { publish_message(topic, bytes, false); }

  // Whether two handles refer to the same WebSocket.
  bool operator==(const WebSocket& other) const noexcept { return link_ == other.link_; }

  // For servers.
  explicit WebSocket(http::SocketLink* taken) noexcept : link_(taken) {}
  http::SocketLink* link() const noexcept { return link_; }
  static WebSocket make();

private:
  SendResult send_text(std::string_view text) const;
  SendResult send_message(std::string_view content, bool is_text) const;  // text is validated
  void publish_message(std::string_view topic, std::string_view content, bool is_text) const;

  http::SocketLink* link_ = nullptr;
};

namespace http {

struct MessageRefused {
  std::uint16_t code;  // the close code
};

// The handler of one WebSocket, on its loop. An exception closes the WebSocket with 1011.
class SocketHandler {
public:
  SocketHandler() = default;
  SocketHandler(const SocketHandler&) = delete;
  SocketHandler& operator=(const SocketHandler&) = delete;
  virtual ~SocketHandler() = default;
  virtual void open(WebSocket& socket) = 0;
  // Returns a close code if it rejects the message, otherwise 0.
  virtual std::uint16_t message(WebSocket& socket, MessageView message) = 0;
  // Whether the message takes so long to parse that compute() is called instead of message(). Nothing else is read from
  // the WebSocket until its task has ended; closed() may be called meanwhile. It throws MessageRefused instead of
  // returning a close code.
  virtual bool computes(MessageView) const noexcept { return false; }
  virtual Task<> compute(WebSocket& socket, Message message) = 0;
  virtual void drained(WebSocket& socket) = 0;
  virtual void closed(WebSocket& socket, std::uint16_t code, std::string_view reason) = 0;
};

// The upgrade of a 101, in place of a producer of content: either a coroutine that has not started, or a handler.
class SocketUpgrade final : public Producer {
public:
  // Without a WebSocket, there is no content.
  Task<> run(Writer& writer) override;

  const WebSocketOptions* options = nullptr;  // owned by the route
  WebSocket socket;
  Task<> task;
  base::Box<SocketHandler> handler;
  bool keeps_request = false;  // the coroutine may use the request until it ends
};

// A 101 that owns the upgrade.
Response upgrade_to(SocketUpgrade* owned);

}  // namespace http
}  // namespace tern
