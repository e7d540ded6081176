// A pool of small blocks: coroutine frames and the field lists of responses. Each thread that runs a loop has one; on
// other threads, the calls use the heap.
#pragma once

#include <cstddef>

namespace tern::base {

// Blocks of up to 4 KiB come from free lists of the calling thread while it has a BlockPoolScope. A block may be freed
// on another thread, whose pool then owns it. Both calls get the same `size`.
[[nodiscard]] void* allocate_block(std::size_t size);
void free_block(void* block, std::size_t size) noexcept;

// Blocks that this thread had to allocate from the heap so far (for tests and metrics).
std::size_t blocks_from_heap() noexcept;

// Enables the calling thread's pool; the destructor frees its memory. Scopes nest.
class BlockPoolScope {
public:
  BlockPoolScope() noexcept;
  ~BlockPoolScope();
  BlockPoolScope(const BlockPoolScope&) = delete;
  BlockPoolScope& operator=(const BlockPoolScope&) = delete;
};

}  // namespace tern::base
