// What the WebSockets of one loop share.
#pragma once

#include "http/socket.hpp"
#include "net/output.hpp"
#include "server/inflation_queue.hpp"
#include "server/socket_bus.hpp"
#include "server/topics.hpp"
#include "websocket/codec.hpp"

#include <tern/http/bus.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace tern::server {

class WebSocketSession;
class Worker;

// Of one loop, made with its first WebSocket.
class WebSocketHub {
public:
  explicit WebSocketHub(Worker& worker);
  // Destroys the sessions that are left, and with them what their coroutines hold.
  ~WebSocketHub();
  WebSocketHub(const WebSocketHub&) = delete;
  WebSocketHub& operator=(const WebSocketHub&) = delete;

  Worker& worker() noexcept { return worker_; }
  websocket::SharedCodecs& codecs() noexcept { return codecs_; }
  InflationQueue& inflation() noexcept { return inflation_; }
  const std::shared_ptr<http::SocketMailbox>& mailbox() const noexcept { return mailbox_; }

  bool empty() const noexcept { return sessions_ == nullptr; }
  void add(WebSocketSession& session) noexcept;
  void remove(WebSocketSession& session) noexcept;
  // The time for draining is over: stops all coroutines.
  void stop() noexcept;

  void subscribe(const http::TopicFilter& filter, WebSocketSession& session);
  void unsubscribe(const http::TopicFilter& filter, WebSocketSession& session);
  void leave_all(WebSocketSession& session);
  void publish(const Publication& publication, const WebSocketSession& from);
  void deliver(const FramedPublication& publication, const WebSocketSession* except);

  // The memory for what a session writes goes round: idle ones have none.
  net::Output take_output();
  void give_back(net::Output output) noexcept;

private:
  Worker& worker_;
  websocket::SharedCodecs codecs_;
  InflationQueue inflation_;
  std::shared_ptr<http::SocketMailbox> mailbox_;
  Topics topics_;
  std::vector<net::Output> spare_;
  WebSocketSession* sessions_ = nullptr;
};

}  // namespace tern::server
