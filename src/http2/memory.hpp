// nghttp2's allocator for one session, on the thread's block pool: nghttp2 allocates several small blocks for each
// stream and each response.
#pragma once

#include <cstddef>

namespace tern::http2 {

class Memory {
public:
  Memory() = default;
  ~Memory();  // frees all remaining allocations
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Whether an allocation has failed. nghttp2's session must not be deleted then: 1.52 frees a frame twice if its queue
  // of frames could not grow. The destructor frees everything.
  bool has_failed() const noexcept { return has_failed_; }

private:
  // Precedes each allocation: the pool needs the size of a block to free it, and nghttp2 does not pass it.
  struct alignas(std::max_align_t) BlockHeader {
    std::size_t size;  // of the allocation
    BlockHeader* next;
    BlockHeader** previous;  // the pointer that points here
  };

  friend struct MemoryFunctions;  // the functions for nghttp2: allocator_of(), callbacks.hpp

  static BlockHeader* header_of(void* piece) noexcept { return static_cast<BlockHeader*>(piece) - 1; }
  static void release(BlockHeader* header) noexcept;
  void* allocate(std::size_t size) noexcept;
  void* reallocate(void* piece, std::size_t size) noexcept;

  BlockHeader* first_ = nullptr;
  bool has_failed_ = false;
};

}  // namespace tern::http2
