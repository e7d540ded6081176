#include <tern/base/arena.hpp>

#include <tern/base/block_pool.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tern {
namespace {

constexpr std::size_t first_block = 2048;
constexpr std::size_t largest_block = 64 * 1024;
constexpr std::size_t largest_size = std::numeric_limits<std::size_t>::max() / 2;  // leaves room for the arithmetic

}  // namespace

void* Arena::allocate(std::size_t size, std::size_t alignment) {
  if (size > largest_size) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(next_);
  const std::size_t padding = (0 - address) & (alignment - 1);
  if (next_ != nullptr && size + padding <= static_cast<std::size_t>(end_ - next_)) {
    std::byte* place = next_ + padding;
    next_ = place + size;
    return place;
  }
  // Adds a block: twice the size of the last, and at least the requested size.
  const std::size_t doubled = blocks_ == nullptr ? first_block : std::min(blocks_->size * 2, largest_block);
  const std::size_t block_size = std::max(doubled, size + sizeof(Block) + alignof(std::max_align_t));
  auto* memory = static_cast<std::byte*>(base::allocate_block(block_size));
  blocks_ = ::new (static_cast<void*>(memory)) Block{blocks_, block_size};
  footprint_ += block_size;
  next_ = memory + sizeof(Block);
  end_ = memory + block_size;
  return allocate(size, alignment);
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  std::byte* bytes = next_;
  if (text.size() <= static_cast<std::size_t>(end_ - next_)) {
    next_ += text.size();
  } else {
    bytes = static_cast<std::byte*>(allocate(text.size(), 1));
  }
  auto* place = reinterpret_cast<char*>(bytes);
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void Arena::at_clear(void* note, void* object, void (*destroy)(void*) noexcept) noexcept {
  cleanups_ = ::new (note) Cleanup{cleanups_, object, destroy};
}

void Arena::give_back() noexcept {
  while (cleanups_ != nullptr) {
    const Cleanup cleanup = *cleanups_;
    cleanups_ = cleanup.previous;
    cleanup.destroy(cleanup.object);
  }
  while (blocks_ != nullptr) {
    Block* dead = blocks_;
    blocks_ = dead->previous;
    base::free_block(dead, dead->size);
  }
  next_ = end_ = nullptr;
  footprint_ = 0;
}

}  // namespace tern
