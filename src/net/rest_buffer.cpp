#include "net/rest_buffer.hpp"

#include <tern/base/expects.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace tern::net {
namespace {

constexpr std::size_t first_capacity = 448;        // with header and padding one small block
constexpr std::size_t kept_capacity = 128 * 1024;  // a larger block that has become nearly empty is given back

}  // namespace

std::size_t RestBuffer::size() const noexcept {
  return block_ == nullptr ? 0 : block_->end - block_->begin;
}

std::size_t RestBuffer::capacity() const noexcept {
  return block_ == nullptr ? 0 : block_->capacity;
}

std::span<const char> RestBuffer::bytes() const noexcept {
  if (block_ == nullptr) return {};
  return {block_->bytes() + block_->begin, block_->end - block_->begin};
}

void RestBuffer::append(std::span<const char> bytes) {
  if (bytes.empty()) return;
  make_room(bytes.size());
  std::memcpy(block_->bytes() + block_->end, bytes.data(), bytes.size());
  block_->end += bytes.size();
}

void RestBuffer::assign(std::span<const char> bytes) {
  if (bytes.empty() || (capacity() > kept_capacity && bytes.size() < capacity() / 8)) clear();
  if (block_ != nullptr) block_->begin = block_->end = 0;
  append(bytes);
}

void RestBuffer::consume(std::size_t count) noexcept {
  base::expects(count <= size(), "no more is consumed than was delivered");
  if (count == size()) {
    clear();
  } else {
    block_->begin += count;
  }
}

void RestBuffer::clear() noexcept {
  ::operator delete(std::exchange(block_, nullptr));
}

// Room for `count` more bytes at the end. Moving the bytes to the front is done only when at least as many have been
// consumed since, growing at least doubles: both cost constant time per byte.
void RestBuffer::make_room(std::size_t count) {
  if (block_ != nullptr && count <= block_->capacity - block_->end) return;
  const std::size_t kept = size();
  const std::size_t needed = kept + count;
  if (block_ != nullptr && needed <= block_->capacity && block_->begin >= kept) {
    std::memcpy(block_->bytes(), block_->bytes() + block_->begin, kept);
  } else {
    const std::size_t capacity = std::max({needed, 2 * kept, first_capacity});
    void* memory = ::operator new(sizeof(Block) + capacity + padding);
    Block* block = ::new (memory) Block{.capacity = capacity, .begin = 0, .end = 0};
    if (kept != 0) std::memcpy(block->bytes(), block_->bytes() + block_->begin, kept);
    std::memset(block->bytes() + capacity, 0, padding);
    clear();
    block_ = block;
  }
  block_->begin = 0;
  block_->end = kept;
}

}  // namespace tern::net
