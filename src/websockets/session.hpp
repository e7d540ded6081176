// One WebSocket of a server: the core, the handler or coroutine, and the transport.
//
// Lifecycle of a session. Connection::switch_protocol() makes it after the 101, and gives the connection a protocol
// that passes all events to it; over HTTP/2, Http2Stream does so after the 200. on_bytes() handles the messages: a
// handler object is called with a view of each; a waiting coroutine is resumed with it; if the coroutine does not wait,
// a few messages are queued, and then the socket is not read. Output is collected, and sent at the end of on_bytes() or
// of the iteration. If the coroutine outlives the transport, so does the session: it ends when both have.
#pragma once

#include "base/intrusive_list.hpp"
#include "http/socket.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "websocket/connection.hpp"
#include "websocket/handshake.hpp"
#include "websockets/hub.hpp"
#include "websockets/inflation_queue.hpp"
#include "websockets/retained_request.hpp"
#include "websockets/transport.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/http/websocket.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern::websockets {

class WebSocketHub;

class WebSocketSession final : public base::IntrusiveList<WebSocketSession>::Links,
                               public TopicSubscriber,
                               private http::Socket,
                               private net::IterationEnd,
                               private Timer,
                               private InflationQueue::Waiter {
public:
  // `request` is kept until the end if the coroutine may use the request; null otherwise.
  WebSocketSession(WebSocketHub& hub, WebSocketTransport& transport, base::Box<http::SocketUpgrade> upgrade,
                   std::optional<websocket::DeflateParameters> terms, RetainedRequest* request);
  ~WebSocketSession();

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  // The answer is written: begins.
  void start(std::string protocol);

  std::size_t on_bytes(std::span<const char> bytes);
  // Whether it has received bytes from the transport directly.
  bool on_direct_receive();
  void on_end();
  void on_sent();
  // The transport is gone.
  void on_closed();
  void drain();
  // The drain has timed out: stops the coroutine.
  void stop() noexcept { stop_.stop(); }
  // How long the peer may read nothing before pings end this WebSocket; zero: no limit.
  Milliseconds patience() const noexcept;

  void deliver(const FramedPublication& publication) noexcept override;
  int deflate_bits() const noexcept override;

private:
  SendStatus send(std::string_view content, bool is_text) override;
  bool waits_when_full() const noexcept override;
  void close(std::uint16_t code, std::string_view reason) noexcept override;
  std::size_t queued() const noexcept override;
  std::size_t max_queued() const noexcept override { return options_.max_queued; }
  void subscribe(const http::TopicFilter& filter) override;
  void unsubscribe(const http::TopicFilter& filter) override;
  void publish(const Publication& publication) override;
  void on_message_taken() override;

  void on_iteration_end() noexcept override;
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "WebSocket peer"}; }
  std::size_t on_inflation_turn(std::size_t budget) noexcept override;

  void begin_reading(std::size_t inflation_budget);
  bool end_reading();
  void read();
  void read_on();
  std::size_t may_inflate() noexcept;
  template <class F>
  bool handle(F&& next);
  void expect_large(bool large) noexcept;
  void take_message();
  void call_handler(const MessageView& message);
  void compute();
  void computed();
  void refuse(std::uint16_t code) noexcept;
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
  void count_queued() noexcept {
    const std::size_t now = queued();
    hub_.counters().queued += static_cast<std::int64_t>(now) - static_cast<std::int64_t>(std::exchange(counted_, now));
  }
  void ended(std::uint16_t code, std::string_view reason);
  void task_ended();
  void report(const std::exception_ptr& error) noexcept;
  void watch_peer();
  void leave_if_over();

  WebSocketHub& hub_;
  WebSocketTransport* transport_;  // null once it is closed
  const WebSocketOptions& options_;
  websocket::Limits limits_;
  websocket::Connection core_;
  net::Output pending_;  // output not yet passed to the stream
  WebSocket socket_;
  Task<> task_;  // the coroutine, or compute() of a handler
  base::Box<http::SocketHandler> handler_;
  StopState stop_;
  RetainedRequest* request_;
  std::size_t counted_ = 0;   // bytes of queued() in the loop's counter
  unsigned busy_ = 0;         // calls that still use this session
  bool heard_ : 1 = true;     // bytes have arrived since the timer was armed
  bool pinged_ : 1 = false;   // and the pong is outstanding
  bool running_ : 1 = false;  // the coroutine has not ended; of a handler, compute()
  bool ended_ = false;        // the handler has been notified
  bool reading_ : 1 = false;  // inside on_bytes() or on_direct_receive()
  bool expects_large_ : 1 = false;
  bool waiting_ : 1 = false;  // the transport has a queue
};

// An exception of a handler only ends its WebSocket, and is logged.
template <class F>
void WebSocketSession::guarded(F call) noexcept {
  try {
    call();
  } catch (...) {
    report(std::current_exception());
    close(websocket::InternalError, {});
  }
}

// If an allocation fails in the call, only this WebSocket ends, without a closing handshake.
template <class F>
void WebSocketSession::attempt(F&& call) noexcept {
  try {
    call();
  } catch (const std::bad_alloc&) {
    if (transport_ != nullptr) transport_->abort();
  }
}

static_assert(sizeof(void*) != 8 || sizeof(WebSocketSession) <= 512);

}  // namespace tern::websockets
