#include "server/memory_shortage.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> min_refused = no_limit;  // bytes, at once
thread_local std::size_t min_refused_here = no_limit;
thread_local bool exempt = false;

}  // namespace

void* operator new(std::size_t size) {
  if (size >= min_refused.load(std::memory_order_relaxed) && !exempt) throw std::bad_alloc();
  if (size >= min_refused_here) throw std::bad_alloc();
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tern::testing {

void refuse(std::size_t size) {
  min_refused = size;
}
void refuse_nothing() {
  min_refused = no_limit;
}
void exempt_this_thread() {
  exempt = true;
}

OutOfMemoryScope::OutOfMemoryScope(std::size_t size) {
  min_refused_here = size;
}
OutOfMemoryScope::~OutOfMemoryScope() {
  min_refused_here = no_limit;
}

}  // namespace tern::testing
