// WebSocket: a handle on one open WebSocket (RFC 6455), and what goes through it.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/response.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// A message that has come: text is UTF-8.
struct Message {
  std::string content;
  bool is_text = true;
  operator std::string_view() const noexcept { return content; }  // NOLINT: it is what it holds
};

// The same, valid during the call that it is given to.
struct MessageView {
  std::string_view content;
  bool is_text = true;
  operator std::string_view() const noexcept { return content; }  // NOLINT
};

// What became of a message: handed to the socket, to its queue or to its loop; dropped, because too much was queued; or
// not sent, because the WebSocket is closed or closing.
enum class SendStatus : std::uint8_t { Sent, Dropped, Closed };

// What to do when a peer does not read as fast as it is sent to: drop the message, close the WebSocket (1008), or wait:
// `co_await socket.send(…)` waits for room, and a send that nobody awaits is dropped.
enum class WhenFull : std::uint8_t { Wait, Drop, Close };

// permessage-deflate (RFC 7692). Separate: each message for itself, which takes no memory between messages. Together:
// messages refer to those before them, which compresses small ones well and costs some 300 KiB for each WebSocket at 15
// window bits.
enum class Compression : std::uint8_t { Off, Separate, Together };

struct WebSocketOptions {
  std::size_t max_message = 1024 * 1024;  // bytes of a message that comes, inflated: close code 1009
  std::size_t max_queued = 1024 * 1024;   // bytes that wait for the peer; one message may go above it
  WhenFull when_full = WhenFull::Wait;
  Milliseconds ping = Seconds(30);          // a peer that has been silent so long is sent a ping; zero: never
  Milliseconds pong = Seconds(20);          // and one that stays silent so long after it is gone
  Milliseconds close_timeout = Seconds(5);  // for the peer's answer to our close
  std::vector<std::string> protocols = {};  // subprotocols, in the order of preference
  std::vector<std::string> origins = {};    // of pages that may connect beside the server's own; "*": all
  Compression compression = Compression::Off;
  int window_bits = 15;  // of compression, 9 to 15: fewer take less memory
};

// Whether something can be published to this topic: 1 to 1024 bytes, without the wildcards '+' and '#'.
bool is_topic(std::string_view text) noexcept;

class WebSocket;

namespace http {

class SocketLink;

// co_await socket.receive(): resumed while the bytes of the message are in view.
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

// What send() has done, or, where it is awaited, will have done.
class Sending {
public:
  explicit Sending(SendStatus status) noexcept : status_(status) {}
  explicit Sending(Task<SendStatus> later) noexcept : status_(SendStatus::Dropped), later_(std::move(later)) {}

  SendStatus status() const noexcept { return status_; }
  operator SendStatus() const noexcept { return status_; }  // NOLINT: it is that

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

// A handle on a WebSocket: small, and safe to copy, to keep, and to use from any thread, also when the peer or the
// server has gone: then nothing happens, and send() says so. What other threads send is sent by the loop that the
// WebSocket belongs to, a little later, in their order.
class WebSocket {
public:
  WebSocket() noexcept = default;  // of nobody: closed
  WebSocket(const WebSocket& other) noexcept;
  WebSocket(WebSocket&& other) noexcept : link_(std::exchange(other.link_, nullptr)) {}
  WebSocket& operator=(WebSocket other) noexcept {
    std::swap(link_, other.link_);
    return *this;
  }
  ~WebSocket();

  // Text is UTF-8 (RFC 6455, section 5.6): send() throws std::invalid_argument for what is not, on the calling thread
  // and before anything is sent. Messages that are sent within one wake-up leave together.
  Sending send(std::string_view text) const { return send_text(text); }
  Sending send(const char* text) const { return send_text(text); }
  Sending send(const std::string& text) const { return send_text(text); }
  Sending send_binary(std::string_view bytes) const { return send_message(bytes, false); }
  Sending send(const Message& message) const { return send(MessageView{message.content, message.is_text}); }
  Sending send(MessageView message) const {
    return message.is_text ? send_text(message.content) : send_message(message.content, false);
  }
  // As JSON: tern::Json{value}, whose header is app/extract.hpp.
  template <template <class> class Json, class T>
    requires requires(const Json<T>& json, std::string& out) { append_json(out, json); }
  Sending send(const Json<T>& json) const {
    std::string text;
    append_json(text, json);
    return send_message(text, true);
  }

  // The next message; nothing when the WebSocket is closed or closing. In the coroutine of the WebSocket, or another on
  // its loop; one may wait at a time. While nobody waits, a few messages are kept, then the peer is not read from.
  http::ReceiveWait receive() const noexcept { return http::ReceiveWait(link_); }

  // Begins the closing handshake: 1000, or a code from 3000 to 4999, and a reason of at most 123 bytes of UTF-8. Other
  // codes become 1000; a longer reason is cut, and one that is not UTF-8 is left out.
  void close(std::uint16_t code = 1000, std::string_view reason = {}) const;

  // From any thread: false from the moment that it closes.
  bool is_open() const noexcept;
  // Bytes that wait for the peer; on the WebSocket's loop, 0 elsewhere.
  std::size_t queued() const noexcept;
  // The subprotocol that was agreed upon; empty: none.
  std::string_view protocol() const noexcept;
  // The code that the WebSocket was closed with, for the coroutine that was told by receive(): 1005 where the peer gave
  // none, 1006 where the connection broke off, 0 while it is open.
  std::uint16_t close_code() const noexcept;

  // From now on, what is published to `topic` is sent here: to exactly this topic, so that '+' and '#' have no meaning.
  // Safe for text that a client has chosen. Throws std::invalid_argument unless it has 1 to 1024 bytes.
  void subscribe(std::string_view topic) const;
  void unsubscribe(std::string_view topic) const;
  // The same for all topics that match `filter`. Levels are separated by '/'; a level "+" matches any one, a last "#"
  // all that are left (also none). A message is sent once, however many filters match. Never build a filter from text
  // that a client has chosen. Throws std::invalid_argument where it is not a filter.
  void subscribe_filter(std::string_view filter) const;
  void unsubscribe_filter(std::string_view filter) const;
  // To all subscribers, as App::publish() does, but not to this one. Throws std::invalid_argument unless
  // is_topic(topic), and for text that is not UTF-8.
  void publish(std::string_view topic, std::string_view text) const { publish_message(topic, text, true); }
  void publish_binary(std::string_view topic, std::string_view bytes) const { publish_message(topic, bytes, false); }

  // Whether two handles are of the same WebSocket.
  bool operator==(const WebSocket& other) const noexcept { return link_ == other.link_; }

  // For whoever serves it.
  explicit WebSocket(http::SocketLink* taken) noexcept : link_(taken) {}
  http::SocketLink* link() const noexcept { return link_; }
  static WebSocket make();

private:
  Sending send_text(std::string_view text) const;
  Sending send_message(std::string_view content, bool is_text) const;  // text was checked
  void publish_message(std::string_view topic, std::string_view content, bool is_text) const;

  http::SocketLink* link_ = nullptr;
};

namespace http {

// One for each WebSocket, on its loop. What it throws closes the WebSocket with 1011.
class SocketHandler {
public:
  SocketHandler() = default;
  SocketHandler(const SocketHandler&) = delete;
  SocketHandler& operator=(const SocketHandler&) = delete;
  virtual ~SocketHandler() = default;
  virtual void open(WebSocket& socket) = 0;
  // Returns a close code where the message is not one that it takes, 0 otherwise.
  virtual std::uint16_t message(WebSocket& socket, MessageView message) = 0;
  virtual void drained(WebSocket& socket) = 0;
  virtual void closed(WebSocket& socket, std::uint16_t code, std::string_view reason) = 0;
};

// What a 101 switches to: in place of a producer of content, in a response with that status. Either a coroutine, which
// has not started, or a handler.
class SocketUpgrade final : public Producer {
public:
  // Where there is nothing that could be switched, there is no content.
  Task<> run(Writer& writer) override;

  const WebSocketOptions* options = nullptr;  // of the route
  WebSocket socket;
  Task<> task;
  base::Box<SocketHandler> handler;
  bool keeps_request = false;  // the coroutine may look at the request until it ends
};

// A 101 that owns it.
Response upgrade_to(SocketUpgrade* owned);

}  // namespace http
}  // namespace tern
