// State shared by the WebSockets of one loop.
#pragma once

#include "base/intrusive_list.hpp"
#include "http/socket.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "websocket/codec.hpp"
#include "websockets/inflation_queue.hpp"
#include "websockets/socket_bus.hpp"
#include "websockets/socket_counters.hpp"
#include "websockets/topics.hpp"

#include <tern/base/function.hpp>
#include <tern/http/bus.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace tern::logging {
class Log;
}

namespace tern::websockets {

class WebSocketSession;

// A WebSocket, or an event stream.
class TopicSubscriber : public Subscriber {
public:
  virtual void deliver(const FramedPublication& publication) noexcept = 0;
  // The longest window that a publication may be deflated with; 0: it may not. Does not change.
  virtual int deflate_bits() const noexcept = 0;

protected:
  ~TopicSubscriber() = default;
};

// One for each loop, made with its first WebSocket or the first event stream that subscribes.
class WebSocketHub {
public:
  // `session_ended` is called on the loop when a session has ended.
  WebSocketHub(net::Loop& loop, logging::Log& log, SocketBus& bus, SocketCounters& counters,
               base::Function<void()> session_ended);
  // Destroys the remaining sessions, and thereby their coroutine frames.
  ~WebSocketHub();
  WebSocketHub(const WebSocketHub&) = delete;
  WebSocketHub& operator=(const WebSocketHub&) = delete;

  net::Loop& loop() noexcept { return loop_; }
  logging::Log& log() noexcept { return log_; }
  SocketCounters& counters() noexcept { return counters_; }
  websocket::SharedCodecs& codecs() noexcept { return codecs_; }
  InflationQueue& inflation() noexcept { return inflation_; }
  const std::shared_ptr<http::SocketMailbox>& mailbox() const noexcept { return mailbox_; }

  bool empty() const noexcept { return sessions_.empty(); }
  void add(WebSocketSession& session) noexcept;
  // The session has been destroyed.
  void on_session_ended() { session_ended_(); }
  // The time for draining is over: stops all coroutines.
  void stop() noexcept;

  void subscribe(const http::TopicFilter& filter, TopicSubscriber& subscriber);
  void unsubscribe(const http::TopicFilter& filter, TopicSubscriber& subscriber);
  void leave_all(TopicSubscriber& subscriber);
  void publish(const Publication& publication, const WebSocketSession& from);
  void deliver(const FramedPublication& publication, const WebSocketSession* except);

  // The output buffers of sessions are reused: idle sessions have none.
  net::Output take_output();
  void give_back(net::Output output) noexcept;

private:
  net::Loop& loop_;
  logging::Log& log_;
  SocketBus& bus_;
  SocketCounters& counters_;
  base::Function<void()> session_ended_;
  websocket::SharedCodecs codecs_;
  InflationQueue inflation_;
  std::shared_ptr<http::SocketMailbox> mailbox_;
  Topics topics_;
  std::vector<net::Output> spare_;
  base::IntrusiveList<WebSocketSession> sessions_;
};

}  // namespace tern::websockets
