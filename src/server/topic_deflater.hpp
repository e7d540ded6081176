// Deflates what is published, on the thread that publishes: once for all who get it, on whichever loops.
//
// Whether anybody wants it deflated is known roughly: subscriptions of sockets that inflate are counted by the hash of
// their filter, those with wildcards all together. Where a count is out of date or stands for another topic, a message
// is deflated in vain, or sent as it is (RFC 7692, section 6: each may or may not be compressed).
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

namespace tern::server {

// A frame whose payload was deflated with a window of 2^bits bytes, and refers to nothing before it.
struct DeflatedFrame {
  int bits;
  std::string frame;
};

// Of one server. From any thread, and nobody waits for another.
class TopicDeflater {
public:
  TopicDeflater() = default;
  ~TopicDeflater();
  TopicDeflater(const TopicDeflater&) = delete;
  TopicDeflater& operator=(const TopicDeflater&) = delete;

  // A socket that takes messages deflated with windows of up to 2^bits bytes has subscribed, or no longer does.
  void subscribed(const http::TopicFilter& filter, int bits) noexcept { count(filter, bits, 1); }
  void unsubscribed(const http::TopicFilter& filter, int bits) noexcept { count(filter, bits, -1); }

  // By ascending bits, one for each window in use that a longer one improves on: whose message fits into the shortest
  // gets one. Nothing where nobody wants any, and where the message is too short.
  std::vector<DeflatedFrame> deflate(const Publication& publication);

  // How often something was deflated, for tests.
  std::uint64_t deflations() const noexcept { return deflations_.load(std::memory_order_relaxed); }

private:
  static constexpr std::size_t topics = 1024;  // that are told apart
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
  std::array<Spares, windows> spares_{};  // some 256 KiB each: as many as have published at once
  std::atomic<std::uint64_t> deflations_ = 0;
};

}  // namespace tern::server
