#include "http2/memory.hpp"

#include <tern/base/block_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace tern::http2 {
namespace {

// In front of each piece, since blocks are given back with their size and nghttp2 does not tell it.
struct alignas(std::max_align_t) Front {
  std::size_t size;  // of the piece
};

Front* front_of(void* piece) noexcept {
  return static_cast<Front*>(piece) - 1;
}

void* allocate(std::size_t size, void*) noexcept {
  if (size > SIZE_MAX - sizeof(Front)) return nullptr;
  try {
    return ::new (base::allocate_block(sizeof(Front) + size)) Front{size} + 1;
  } catch (const std::bad_alloc&) {  // not through frames that were written in C
    return nullptr;
  }
}

void give_back(void* piece, void*) noexcept {
  if (piece == nullptr) return;
  Front* front = front_of(piece);
  base::free_block(front, sizeof(Front) + front->size);
}

void* allocate_cleared(std::size_t count, std::size_t size, void* user) noexcept {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* piece = allocate(count * size, user);
  if (piece != nullptr) std::memset(piece, 0, count * size);
  return piece;
}

void* change_size(void* piece, std::size_t size, void* user) noexcept {
  void* changed = allocate(size, user);
  if (changed == nullptr || piece == nullptr) return changed;
  std::memcpy(changed, piece, std::min(size, front_of(piece)->size));
  give_back(piece, user);
  return changed;
}

constinit nghttp2_mem memory{nullptr, &allocate, &give_back, &allocate_cleared, &change_size};

}  // namespace

nghttp2_mem& pooled_memory() noexcept {
  return memory;
}

}  // namespace tern::http2
