#include "websockets/topic_deflater.hpp"

#include "websocket/connection.hpp"
#include "websocket/frame.hpp"

#include <functional>
#include <utility>

namespace tern::websockets {
namespace {

constexpr std::size_t out_of_reach = 262;  // zlib leaves so many bytes of its window unused (MIN_LOOKAHEAD)

}  // namespace

TopicDeflater::~TopicDeflater() {
  for (Spares& spares : spares_) {
    for (auto& spare : spares) delete spare.load(std::memory_order_relaxed);
  }
}

// The counts are hints, and order no other data: relaxed.
void TopicDeflater::count(const http::TopicFilter& filter, int bits, int change) noexcept {
  if (bits == 0) return;
  windows_[static_cast<std::size_t>(bits)].fetch_add(change, std::memory_order_relaxed);
  const std::size_t slot = std::hash<std::string_view>{}(filter.text) % topics;
  Count& topic = filter.has_wildcards ? wildcards_ : exact_[slot];
  topic.fetch_add(change, std::memory_order_relaxed);
}

bool TopicDeflater::wanted(std::string_view topic) const noexcept {
  return wildcards_.load(std::memory_order_relaxed) != 0 ||
         exact_[std::hash<std::string_view>{}(topic) % topics].load(std::memory_order_relaxed) != 0;
}

std::vector<DeflatedFrame> TopicDeflater::deflate(const Publication& publication) {
  std::vector<DeflatedFrame> frames;
  const std::string_view content = publication.content;
  if (content.size() < websocket::min_deflate_size || !wanted(publication.topic)) return frames;
  const auto opcode = publication.is_text ? websocket::Opcode::Text : websocket::Opcode::Binary;
  for (std::size_t window = 0; window < windows; ++window) {
    if (windows_[window].load(std::memory_order_relaxed) == 0) continue;
    const int bits = static_cast<int>(window);
    std::unique_ptr<websocket::Deflater> deflater = take(bits);
    std::string payload;
    deflater->deflate(content, payload);
    give_back(bits, std::move(deflater));
    deflations_.fetch_add(1, std::memory_order_relaxed);
    websocket::append_frame(frames.emplace_back(bits, std::string()).frame, opcode, payload, true);
    if (content.size() + out_of_reach <= std::size_t{1} << window) break;
  }
  return frames;
}

// A deflater belongs to the thread that has exchanged its pointer; acquire and release transfer the object.
std::unique_ptr<websocket::Deflater> TopicDeflater::take(int bits) {
  for (auto& spare : spares_[static_cast<std::size_t>(bits)]) {
    if (websocket::Deflater* found = spare.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<websocket::Deflater>(found);
    }
  }
  return std::make_unique<websocket::Deflater>(bits);
}

void TopicDeflater::give_back(int bits, std::unique_ptr<websocket::Deflater> deflater) noexcept {
  deflater->reset();
  for (auto& spare : spares_[static_cast<std::size_t>(bits)]) {
    websocket::Deflater* empty = nullptr;
    if (spare.compare_exchange_strong(empty, deflater.get(), std::memory_order_release, std::memory_order_relaxed)) {
      static_cast<void>(deflater.release());
      return;
    }
  }
}

}  // namespace tern::websockets
