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

void Memory::release(BlockHeader* header) noexcept {
  *header->previous = header->next;
  if (header->next != nullptr) header->next->previous = header->previous;
  base::free_block(header, sizeof(BlockHeader) + header->size);
}

void* Memory::allocate(std::size_t size) noexcept {
  void* block = nullptr;
  try {
    if (size <= SIZE_MAX - sizeof(BlockHeader)) block = base::allocate_block(sizeof(BlockHeader) + size);
  } catch (const std::bad_alloc&) {  // must not propagate through C frames
  }
  if (block == nullptr) {
    has_failed_ = true;
    return nullptr;
  }
  auto* header = ::new (block) BlockHeader{size, first_, &first_};
  if (first_ != nullptr) first_->previous = &header->next;
  first_ = header;
  return header + 1;
}

void* Memory::reallocate(void* piece, std::size_t size) noexcept {
  void* changed = allocate(size);
  if (changed == nullptr || piece == nullptr) return changed;
  std::memcpy(changed, piece, std::min(size, header_of(piece)->size));
  release(header_of(piece));
  return changed;
}

struct MemoryFunctions {
  static void* allocate(std::size_t size, void* memory) { return static_cast<Memory*>(memory)->allocate(size); }
  static void release(void* piece, void*) {
    if (piece != nullptr) Memory::release(Memory::header_of(piece));
  }
  static void* allocate_zeroed(std::size_t count, std::size_t size, void* memory) {
    const bool fits = size == 0 || count <= SIZE_MAX / size;
    void* piece = allocate(fits ? count * size : SIZE_MAX, memory);
    if (piece != nullptr) std::memset(piece, 0, count * size);
    return piece;
  }
  static void* reallocate(void* piece, std::size_t size, void* memory) {
    return static_cast<Memory*>(memory)->reallocate(piece, size);
  }
};

nghttp2_mem allocator_of(Memory& memory) noexcept {
  return {&memory, &MemoryFunctions::allocate, &MemoryFunctions::release, &MemoryFunctions::allocate_zeroed,
          &MemoryFunctions::reallocate};
}

}  // namespace tern::http2
