#include "server/failing_allocator.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> left = 0;  // allocations until one fails; 0 and less: none will
thread_local bool counted = false;
thread_local bool spared = false;
std::atomic<bool> others_counted = false;

bool fails() noexcept {
  return (counted || (others_counted && !spared)) && left.load(std::memory_order_relaxed) > 0 &&
         left.fetch_sub(1, std::memory_order_relaxed) == 1;
}

}  // namespace

// The linker has the library call this in place of malloc (--wrap).
extern "C" void* __real_malloc(std::size_t size);
extern "C" void* __wrap_malloc(std::size_t size) {
  return fails() ? nullptr : __real_malloc(size);
}

void* operator new(std::size_t size) {
  if (!fails()) {
    if (void* const memory = __real_malloc(size)) return memory;
  }
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : __real_malloc(size);
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tern::testing {

void allocations_of_this_thread_may_fail() {
  counted = true;
}
OtherThreadsMayFail::OtherThreadsMayFail() noexcept {
  spared = true;
  others_counted = true;
}
OtherThreadsMayFail::~OtherThreadsMayFail() {
  others_counted = false;
  spared = false;
}
void fail_allocation(std::int64_t n) {
  left = n;
}
bool stop_failing() {
  return left.exchange(0) <= 0;
}

}  // namespace tern::testing
