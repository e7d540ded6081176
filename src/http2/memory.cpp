#include "http2/memory.hpp"

#include "http2/callbacks.hpp"

#include <tern/base/block_pool.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace tern::http2 {

Memory::~Memory() {
  while (first_ != nullptr) release(first_);
}

void Memory::release(Front* front) noexcept {
  *front->previous = front->next;
  if (front->next != nullptr) front->next->previous = front->previous;
  base::free_block(front, sizeof(Front) + front->size);
}

void* Memory::allocate(std::size_t size) noexcept {
  void* block = nullptr;
  try {
    if (size <= SIZE_MAX - sizeof(Front)) block = base::allocate_block(sizeof(Front) + size);
  } catch (const std::bad_alloc&) {  // not through frames that were written in C
  }
  if (block == nullptr) {
    has_failed_ = true;
    return nullptr;
  }
  auto* front = ::new (block) Front{size, first_, &first_};
  if (first_ != nullptr) first_->previous = &front->next;
  first_ = front;
  return front + 1;
}

void* Memory::change_size(void* piece, std::size_t size) noexcept {
  void* changed = allocate(size);
  if (changed == nullptr || piece == nullptr) return changed;
  std::memcpy(changed, piece, std::min(size, front_of(piece)->size));
  release(front_of(piece));
  return changed;
}

struct MemoryFunctions {
  static void* allocate(std::size_t size, void* memory) { return static_cast<Memory*>(memory)->allocate(size); }
  static void release(void* piece, void*) {
    if (piece != nullptr) Memory::release(Memory::front_of(piece));
  }
  static void* allocate_cleared(std::size_t count, std::size_t size, void* memory) {
    const bool fits = size == 0 || count <= SIZE_MAX / size;
    void* piece = allocate(fits ? count * size : SIZE_MAX, memory);
    if (piece != nullptr) std::memset(piece, 0, count * size);
    return piece;
  }
  static void* change_size(void* piece, std::size_t size, void* memory) {
    return static_cast<Memory*>(memory)->change_size(piece, size);
  }
};

nghttp2_mem functions_of(Memory& memory) noexcept {
  return {&memory, &MemoryFunctions::allocate, &MemoryFunctions::release, &MemoryFunctions::allocate_cleared,
          &MemoryFunctions::change_size};
}

}  // namespace tern::http2
