// Distributes publications to the WebSockets of all loops of a server, and to other servers.
//
// Path of a publication. publish() frames it, and deflates it if there are such subscribers, on the publisher's thread;
// the hub of the calling loop delivers it to its subscribers at once, each other loop finds it in its inbox. All of
// them share it. Nothing locks or blocks: the loops are in a list that only grows, and their mailboxes
// (http/socket.hpp) and inboxes (net/inbox.hpp) consist of atomic operations.
#pragma once

#include "http/socket.hpp"
#include "websockets/topic_deflater.hpp"

#include <tern/http/bus.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tern::websockets {

class WebSocketHub;
class WebSocketSession;

// A message to the subscribers of a topic: framed and deflated once for all loops.
struct FramedPublication {
  FramedPublication(const Publication& publication, TopicDeflater& deflater);

  // For a socket with windows of up to 2^bits bytes; null if the plain frame is to be sent.
  const std::string* deflated_for(int bits) const noexcept;
  std::size_t bytes() const noexcept;  // of memory

  // As it was published.
  Publication plain() const noexcept { return {topic, std::string_view(frame).substr(content_at), is_text}; }

  std::string topic;
  std::string frame;
  std::size_t content_at = 0;  // in the frame
  bool is_text = true;
  std::vector<DeflatedFrame> deflated;
};

// One for each server. Thread-safe.
class SocketBus {
public:
  SocketBus() = default;
  ~SocketBus();  // no loop runs any more
  SocketBus(const SocketBus&) = delete;
  SocketBus& operator=(const SocketBus&) = delete;

  // Before the server starts: publications also go to `bus`.
  void connect(Bus& bus) noexcept { bus_ = &bus; }
  // Null: none.
  const Bus* bus() const noexcept { return bus_; }
  // On the hub's loop.
  void add(WebSocketHub& hub);
  // After its mailbox is closed and its loop has ended.
  void remove(const WebSocketHub& hub) noexcept;
  // To the loops, then to other servers. `except` may be null.
  PublishStatus publish(const Publication& publication, const WebSocketSession* except = nullptr);
  // To the calling loop at once, to the others by posting; not to one with more than `max_under_way` bytes posted.
  void deliver(const Publication& publication, const WebSocketSession* except = nullptr);
  static constexpr std::size_t max_under_way = 16 * 1024 * 1024;  // bytes

  // `bits` is the window that deflates the subscriber's messages; 0: they are not deflated.
  void subscribed(const http::TopicFilter& filter, int bits);
  void unsubscribed(const http::TopicFilter& filter, int bits) noexcept;
  // With exactly this topic or filter.
  std::size_t subscribers(const http::TopicFilter& filter) const;
  std::uint64_t deflations() const noexcept { return deflater_.deflations(); }  // for tests

private:
  // One for each loop, as long as the server.
  struct Place {
    const std::shared_ptr<http::SocketMailbox> mailbox;
    WebSocketHub* hub;                       // null once it is gone; used on its loop
    Place* next;                             // constant once it is in the list
    std::atomic<std::size_t> under_way = 0;  // bytes posted there
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  using Counts = std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>;  // by filter
  static void post(Place& place, const std::shared_ptr<const FramedPublication>& publication);

  std::atomic<Place*> first_ = nullptr;
  TopicDeflater deflater_;
  mutable std::mutex counts_mutex_;
  std::array<Counts, 2> counts_;  // of literal topics, and of filters with wildcards
  Bus* bus_ = nullptr;
};

}  // namespace tern::websockets
