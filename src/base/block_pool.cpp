#include <tern/base/block_pool.hpp>

#include <tern/base/expects.hpp>

#include <cstdlib>
#include <new>

// Defined only with AddressSanitizer: detects the use of a freed block.
extern "C" __attribute__((weak)) void __asan_poison_memory_region(const volatile void* address, std::size_t size);
extern "C" __attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);

namespace tern::base {
namespace {

constexpr std::size_t granularity = 64;
constexpr std::size_t classes = 64;  // blocks of 64, 128, … 4096 bytes
constexpr std::size_t kept_per_class = 256;

struct FreeBlock {
  FreeBlock* next;
};

struct Pool {
  FreeBlock* free[classes];
  unsigned kept[classes];
  unsigned scopes;
  std::size_t from_heap;
};

// Trivial, so that access needs no initialisation check.
thread_local constinit Pool pool{};

void poison(void* block, std::size_t index) noexcept {
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(block, (index + 1) * granularity);
}

void unpoison(void* block, std::size_t index) noexcept {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(block, (index + 1) * granularity);
}

constexpr std::size_t class_of(std::size_t size) {
  return size == 0 ? 0 : (size - 1) / granularity;
}

}  // namespace

void* allocate_block(std::size_t size) {
  const std::size_t index = class_of(size);
  if (index < classes && pool.free[index] != nullptr) {
    FreeBlock* block = pool.free[index];
    unpoison(block, index);
    pool.free[index] = block->next;
    --pool.kept[index];
    return block;
  }
  ++pool.from_heap;
  void* block = std::malloc(index < classes ? (index + 1) * granularity : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void free_block(void* block, std::size_t size) noexcept {
  const std::size_t index = class_of(size);
  if (index >= classes || pool.scopes == 0 || pool.kept[index] >= kept_per_class) {
    std::free(block);
    return;
  }
  pool.free[index] = ::new (block) FreeBlock{pool.free[index]};
  ++pool.kept[index];
  poison(block, index);
}

std::size_t blocks_from_heap() noexcept {
  return pool.from_heap;
}

BlockPoolScope::BlockPoolScope() noexcept {
  ++pool.scopes;
}

BlockPoolScope::~BlockPoolScope() {
  if (--pool.scopes != 0) return;
  for (std::size_t index = 0; index < classes; ++index) {
    while (FreeBlock* block = pool.free[index]) {
      unpoison(block, index);
      pool.free[index] = block->next;
      std::free(block);
    }
    pool.kept[index] = 0;
  }
}

}  // namespace tern::base
