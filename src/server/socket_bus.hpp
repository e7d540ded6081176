// How what is published gets to the WebSockets of all loops of a server, and to other servers.
//
// Life of a publication. publish() frames it, and deflates it if somebody wants that, on the publisher's thread; the
// hub of the loop that this is called on gives it to its subscribers at once, each other loop finds it in its inbox.
// All of them share it. No lock is taken on that way, and nobody waits: the loops are in a list that only grows, their
// mailboxes (http/socket.hpp) and inboxes (net/inbox.hpp) are made of atomic operations.
#pragma once

#include "http/socket.hpp"
#include "server/topic_deflater.hpp"

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

namespace tern::server {

class WebSocketHub;
class WebSocketSession;

// A message to the subscribers of a topic: framed and deflated once for all loops.
struct FramedPublication {
  FramedPublication(const Publication& publication, TopicDeflater& deflater);

  // For a socket that takes windows of up to 2^bits bytes; null where the plain frame is to be sent.
  const std::string* deflated_for(int bits) const noexcept;
  std::size_t bytes() const noexcept;  // that it occupies

  std::string topic;
  std::string frame;
  std::vector<DeflatedFrame> deflated;
};

// Of one server. From any thread.
class SocketBus {
public:
  SocketBus() = default;
  ~SocketBus();  // no loop runs any more
  SocketBus(const SocketBus&) = delete;
  SocketBus& operator=(const SocketBus&) = delete;

  // Before the server starts: where what is published goes beside its own loops.
  void connect(Bus& bus) noexcept { bus_ = &bus; }
  // On the hub's loop.
  void add(WebSocketHub& hub);
  // When its mailbox is closed and its loop has ended.
  void remove(const WebSocketHub& hub) noexcept;
  // To the loops, then to other servers. `except` may be null.
  PublishStatus publish(const Publication& publication, const WebSocketSession* except = nullptr);
  // To the loop that this is called on at once, to the others by posting; to one that is behind by more than
  // `max_under_way` not at all.
  void deliver(const Publication& publication, const WebSocketSession* except = nullptr);
  static constexpr std::size_t max_under_way = 16 * 1024 * 1024;  // bytes

  // `bits` is the window that the subscriber's messages are deflated with; 0: they are not.
  void subscribed(const http::TopicFilter& filter, int bits);
  void unsubscribed(const http::TopicFilter& filter, int bits) noexcept;
  // To exactly this topic, or this filter.
  std::size_t subscribers(const http::TopicFilter& filter) const;
  std::uint64_t deflations() const noexcept { return deflater_.deflations(); }  // for tests

private:
  // Of a loop, as long as the server.
  struct Place {
    const std::shared_ptr<http::SocketMailbox> mailbox;
    WebSocketHub* hub;                       // null when it has gone; of the loop
    Place* next;                             // does not change once it is in the list
    std::atomic<std::size_t> under_way = 0;  // bytes that are posted there
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

}  // namespace tern::server
