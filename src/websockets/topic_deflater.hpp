// Deflates publications on the publishing thread: once for all subscribers, on all loops.
//
// Whether a subscriber wants deflated messages is known approximately: subscriptions of sockets that inflate are
// counted by the hash of their filter, those with wildcards together. If a count is out of date or belongs to another
// topic, a message is deflated in vain, or sent uncompressed (RFC 7692, section 6: each message may or may not be
// compressed).
#pragma once

#include "http/topic.hpp"
#include "websocket/deflate.hpp"

#include <tern/http/bus.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::websockets {

// A frame whose payload was deflated with a window of 2^bits bytes, and refers to nothing before it.
struct DeflatedFrame {
  int bits;
  std::string frame;
};

// One for each server. Thread-safe, without waiting.
class TopicDeflater {
public:
  TopicDeflater() = default;
  ~TopicDeflater();
  TopicDeflater(const TopicDeflater&) = delete;
  TopicDeflater& operator=(const TopicDeflater&) = delete;

  // A socket that accepts messages deflated with windows of up to 2^bits bytes has subscribed, or no longer does.
  void subscribed(const http::TopicFilter& filter, int bits) noexcept { count(filter, bits, 1); }
  void unsubscribed(const http::TopicFilter& filter, int bits) noexcept { count(filter, bits, -1); }

  // By ascending bits, one for each window in use that a longer one improves on: a message that fits into the shortest
  // window gets one. Empty if no subscriber wants any, or the message is too short.
  std::vector<DeflatedFrame> deflate(const Publication& publication);

  // How many messages were deflated, for tests.
  std::uint64_t deflations() const noexcept { return deflations_.load(std::memory_order_relaxed); }

private:
  static constexpr std::size_t topics = 1024;  // that are distinguished
  static constexpr std::size_t windows = 16;   // by bits
  static constexpr std::size_t max_spare = 16;

  using Count = std::atomic<std::int32_t>;
  using Spares = std::array<std::atomic<websocket::Deflater*>, max_spare>;

  void count(const http::TopicFilter& filter, int bits, int change) noexcept;
  bool wanted(std::string_view topic) const noexcept;
  std::unique_ptr<websocket::Deflater> take(int bits);
  void give_back(int bits, std::unique_ptr<websocket::Deflater> deflater) noexcept;

  std::array<Count, topics> exact_{};  // subscriptions without wildcards, by the hash of their filters
  Count wildcards_ = 0;
  std::array<Count, windows> windows_{};  // all of them by their bits
  std::array<Spares, windows> spares_{};  // about 256 KiB each: as many as have published at the same time
  std::atomic<std::uint64_t> deflations_ = 0;
};

}  // namespace tern::websockets
