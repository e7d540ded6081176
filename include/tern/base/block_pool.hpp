// Small blocks of memory that are handed back and forth without the allocator: coroutine frames and the field lists of
// responses. Each thread that runs a loop keeps its own; elsewhere the calls fall through to the heap.
#pragma once

#include <cstddef>

namespace tern::base {

// Blocks of up to 4 KiB come from free lists of the calling thread while a BlockPoolScope is alive on it. A block may
// be freed on another thread than the one that allocated it: it then changes owner. `size` is the size asked for, both
// times.
[[nodiscard]] void* allocate_block(std::size_t size);
void free_block(void* block, std::size_t size) noexcept;

// How many blocks had to come from the heap on this thread since the thread began (for tests and metrics).
std::size_t blocks_from_heap() noexcept;

// Turns the calling thread's pool on; the destructor gives everything it holds back to the heap. Scopes nest.
class BlockPoolScope {
public:
  BlockPoolScope() noexcept;
  ~BlockPoolScope();
  BlockPoolScope(const BlockPoolScope&) = delete;
  BlockPoolScope& operator=(const BlockPoolScope&) = delete;
};

}  // namespace tern::base
