// An allocator whose n-th allocation fails. A program that is linked with it replaces operator new and the library's
// calls of malloc (the block pool's). What OpenSSL allocates does not fail.
#pragma once

#include <cstdint>

namespace tern::testing {

// Only allocations of threads that have called this count and fail.
void allocations_of_this_thread_may_fail();
// Until the end of its life, those of all threads but this one.
class OtherThreadsMayFail {
public:
  OtherThreadsMayFail() noexcept;
  ~OtherThreadsMayFail();
  OtherThreadsMayFail(const OtherThreadsMayFail&) = delete;
  OtherThreadsMayFail& operator=(const OtherThreadsMayFail&) = delete;
};

// The `n`-th allocation from now on fails, once; the first is 1.
void fail_allocation(std::int64_t n);
// None fails any more. Whether one has failed.
bool stop_failing();

}  // namespace tern::testing
