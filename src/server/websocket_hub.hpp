// What the WebSockets of one loop share, and how the loops' hubs reach each other: SocketBus.
#pragma once

#include "http/socket.hpp"
#include "net/output.hpp"
#include "server/topics.hpp"
#include "websocket/codec.hpp"
#include "websocket/frame.hpp"

#include <tern/http/bus.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tern::server {

class WebSocketHub;
class WebSocketSession;
class Worker;

// A message to the subscribers of a topic: framed once for all loops.
struct FramedPublication {
  explicit FramedPublication(const Publication& publication);

  std::string topic;
  std::string content;
  websocket::Opcode opcode;
  std::string frame;
};

// Of one server. From any thread.
class SocketBus {
public:
  // Before the server starts: where what is published goes beside its own loops.
  void connect(Bus& bus) noexcept { bus_ = &bus; }
  void add(WebSocketHub& hub, std::shared_ptr<http::SocketMailbox> mailbox);
  void remove(const WebSocketHub& hub) noexcept;
  // To the loops, then to other servers. `except` may be null.
  PublishStatus publish(const Publication& publication, const WebSocketSession* except = nullptr);
  // To the loop that this is called on at once, to the others by posting; to one that is behind by more than
  // `most_under_way` not at all.
  void deliver(const Publication& publication, const WebSocketSession* except = nullptr);
  static constexpr std::size_t most_under_way = 16 * 1024 * 1024;  // bytes

  void subscribed(std::string_view filter);
  void unsubscribed(std::string_view filter) noexcept;
  std::size_t subscribers(std::string_view filter) const;

private:
  struct Loop {
    WebSocketHub* hub;
    std::shared_ptr<http::SocketMailbox> mailbox;
    std::shared_ptr<std::atomic<std::size_t>> under_way;  // bytes that are posted there
  };
  static void post(const Loop& loop, const std::shared_ptr<const FramedPublication>& publication);

  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<Loop>> loops_ = std::make_shared<std::vector<Loop>>();  // replaced, never changed
  std::unordered_map<std::string, std::size_t> counts_;
  Bus* bus_ = nullptr;
};

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
  const std::shared_ptr<http::SocketMailbox>& mailbox() const noexcept { return mailbox_; }

  bool empty() const noexcept { return sessions_ == nullptr; }
  void add(WebSocketSession& session) noexcept;
  void remove(WebSocketSession& session) noexcept;
  // The time for draining is over: stops all coroutines.
  void stop() noexcept;

  void subscribe(std::string_view filter, WebSocketSession& session);
  void unsubscribe(std::string_view filter, WebSocketSession& session);
  void leave_all(WebSocketSession& session);
  void publish(const Publication& publication, const WebSocketSession& from);
  void deliver(const FramedPublication& publication, const WebSocketSession* except);

  // The memory for what a session writes goes round: idle ones have none.
  net::Output take_output();
  void give_back(net::Output output) noexcept;

private:
  Worker& worker_;
  websocket::SharedCodecs codecs_;
  std::shared_ptr<http::SocketMailbox> mailbox_;
  Topics topics_;
  std::vector<net::Output> spare_;
  WebSocketSession* sessions_ = nullptr;
};

}  // namespace tern::server
