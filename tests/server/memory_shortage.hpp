// An allocator that can be told to have nothing large. A program that is linked with it replaces operator new.
#pragma once

#include <cstddef>

namespace tern::testing {

// Allocations of at least as many bytes fail, except in a thread that has called exempt_this_thread().
void refuse(std::size_t size);
void refuse_nothing();
void exempt_this_thread();

// The same for this thread alone, exempt or not, in a scope.
class OutOfMemoryScope {
public:
  explicit OutOfMemoryScope(std::size_t size);
  ~OutOfMemoryScope();
  OutOfMemoryScope(const OutOfMemoryScope&) = delete;
  OutOfMemoryScope& operator=(const OutOfMemoryScope&) = delete;
};

}  // namespace tern::testing
