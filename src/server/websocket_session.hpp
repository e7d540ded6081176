// One WebSocket of a server: the core, the handler or coroutine, and what carries it.
//
// Life of a session. Connection::switch_protocol() makes it behind the 101, and gives the connection a protocol that
// passes everything on to it; over HTTP/2 Http2Stream does, behind the 200. on_bytes() takes the messages: a handler
// object is called with a view of each; a coroutine that waits is resumed with it, and while it does not, a few are
// kept and then the socket is not read. What is written is collected, and leaves at the end of on_bytes() or of the
// round. The session survives its carrier when its coroutine does: it ends when both have.
#pragma once

#include "http/socket.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "server/inflation_queue.hpp"
#include "server/topics.hpp"
#include "server/websocket_carrier.hpp"
#include "websocket/connection.hpp"
#include "websocket/handshake.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/http/websocket.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::server {

class HttpExchange;
class WebSocketHub;

// What a route's options allow of handshakes.
websocket::HandshakeRules rules_of(const WebSocketOptions& options);

class WebSocketSession final : public Subscriber,
                               private http::Socket,
                               private net::IterationEnd,
                               private Timer,
                               private InflationQueue::Waiter {
public:
  // `exchange` is kept until the end, where the coroutine may look at the request; null otherwise.
  WebSocketSession(WebSocketHub& hub, WebSocketCarrier& carrier, base::Box<http::SocketUpgrade> upgrade,
                   std::optional<websocket::DeflateTerms> terms, HttpExchange* exchange);
  ~WebSocketSession();

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  // The answer is written: begins.
  void start(std::string protocol);

  std::size_t on_bytes(std::span<const char> bytes);
  // Whether it has taken bytes from the carrier by itself.
  bool on_direct_receive();
  void on_end();
  void on_sent();
  // The carrier is gone.
  void on_closed();
  void drain();
  // How long the peer may take nothing before pings end this WebSocket; zero: for ever.
  Milliseconds patience() const noexcept;

  // A frame that was made for many.
  void deliver(std::string_view frame, bool deflated) noexcept;
  // The longest window that such a frame may be deflated with; 0: it may not. Does not change.
  int deflate_bits() const noexcept;

private:
  friend class WebSocketHub;

  SendStatus send(std::string_view content, bool is_text) override;
  bool waits_when_full() const noexcept override;
  void close(std::uint16_t code, std::string_view reason) noexcept override;
  std::size_t queued() const noexcept override;
  std::size_t max_queued() const noexcept override { return options_.max_queued; }
  void subscribe(const http::TopicFilter& filter) override;
  void unsubscribe(const http::TopicFilter& filter) override;
  void publish(const Publication& publication) override;
  void took_message() override;

  void on_iteration_end() noexcept override;
  void on_timer() noexcept override;
  std::size_t on_inflation_turn(std::size_t budget) noexcept override;

  void begin_reading(std::size_t inflation_budget);
  bool end_reading();
  void read();
  void read_on();
  std::size_t may_inflate() noexcept;
  template <class F>
  bool dealt_with(F&& next);
  void expect_large(bool large) noexcept;
  void take_message();
  void call_handler(const MessageView& message);
  template <class F>
  void guarded(F call) noexcept;
  template <class F>
  void attempt(F&& call) noexcept;
  void peer_is_silent();
  bool has_to_pause() const noexcept;
  bool has_room(std::size_t bytes);
  std::string& out();
  void wrote();
  void flush();
  void ended(std::uint16_t code, std::string_view reason);
  void task_ended();
  void report(const std::exception_ptr& error) noexcept;
  void watch_peer();
  void leave_if_over();

  WebSocketHub& hub_;
  WebSocketCarrier* carrier_;  // null once it is closed
  const WebSocketOptions& options_;
  websocket::Limits limits_;
  websocket::Connection core_;
  net::Output pending_;  // what was written and not handed to the stream
  WebSocket socket_;
  Task<> task_;
  base::Box<http::SocketHandler> handler_;
  StopState stop_;
  HttpExchange* exchange_;
  WebSocketSession* next_ = nullptr;  // in the hub's list
  WebSocketSession** previous_ = nullptr;
  unsigned busy_ = 0;         // calls that go on with this session afterwards
  bool heard_ : 1 = true;     // something has come since the timer was armed
  bool pinged_ : 1 = false;   // and the answer is waited for
  bool running_ : 1 = false;  // the coroutine has not ended
  bool ended_ = false;        // the handler was told
  bool reading_ : 1 = false;  // inside on_bytes() or on_direct_receive()
  bool expects_large_ : 1 = false;
  bool waiting_ : 1 = false;  // the carrier has a queue
};

static_assert(sizeof(void*) != 8 || sizeof(WebSocketSession) <= 512);

}  // namespace tern::server
