#include "net/buffer_pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tern::net {
namespace {

constexpr Milliseconds max_idle = Seconds(1);

}  // namespace

void BufferPool::give(std::string used) noexcept {
  const std::size_t size = used.capacity();
  if (size < min_buffer_size || pooled_bytes_ + size > limit_) return;
  used.clear();
  try {
    buffers_.push_back(std::move(used));
  } catch (const std::bad_alloc&) {
    return;
  }
  pooled_bytes_ += size;
  if (!armed()) timers_.arm(*this, max_idle);
}

std::string BufferPool::take(std::size_t size) noexcept {
  auto best = buffers_.end();
  for (auto it = buffers_.begin(); it != buffers_.end(); ++it) {
    if (it->capacity() >= size && it->capacity() / 2 <= size &&
        (best == buffers_.end() || it->capacity() < best->capacity()))
      best = it;
  }
  if (best == buffers_.end()) return {};
  std::swap(*best, buffers_.back());
  std::string found = std::move(buffers_.back());
  buffers_.pop_back();
  pooled_bytes_ -= found.capacity();
  taken_ = true;
  return found;
}

void BufferPool::on_timer() noexcept {
  if (buffers_.empty()) return;
  if (std::exchange(taken_, false)) return timers_.arm(*this, max_idle);
  std::vector<std::string>().swap(buffers_);
  pooled_bytes_ = 0;
}

}  // namespace tern::net
