#include "exchange/memory_budget.hpp"

#include <malloc.h>

namespace tern::exchange {

bool MemoryBudget::take(std::size_t bytes) noexcept {
  const std::size_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (used > limit()) {
    give_back(bytes);
    return false;
  }
  note(used);
  return true;
}

void MemoryBudget::add(std::size_t bytes) noexcept {
  note(used_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void MemoryBudget::trim(Offloader& pool) noexcept {
  if (trimming_.exchange(true)) return;
  had_burst_.store(false, std::memory_order_relaxed);
  if (!pool.submit(Priority::Low, *this)) trimming_.store(false);
}

void MemoryBudget::run() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  ++trims_;
  trimming_.store(false);
}

}  // namespace tern::exchange
