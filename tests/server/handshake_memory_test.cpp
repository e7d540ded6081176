// Allocations of OpenSSL fail during a handshake: it ends at once or by the timeout for heads, and the server goes on.
#include "server/app_test.hpp"
#include "server/failing_allocator.hpp"
#include "server/tls_peer.hpp"

#include <openssl/crypto.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace tern::testing {
namespace {

// The linker has malloc() here be the one that fails (--wrap).
void* allocate(std::size_t size, const char*, int) {
  return std::malloc(size);
}
void* grow(void* memory, std::size_t size, const char*, int) {
  return std::realloc(memory, size);
}
void give_back(void* memory, const char*, int) {
  std::free(memory);
}
// Before OpenSSL has allocated anything.
[[maybe_unused]] const int replaced = CRYPTO_set_mem_functions(&allocate, &grow, &give_back);

[[maybe_unused]] const int over_tls = ::setenv("TERN_TRANSPORT", "tls", 1);

class HandshakeMemory : public AppTest {
protected:
  static bool answers(std::uint16_t port) {
    TlsPeer peer(port);
    return peer.shake_hands() && peer.ask("/").ends_with("yes");
  }
};

TEST_F(HandshakeMemory, a_handshake_ends_and_nothing_else) {
  ASSERT_EQ(replaced, 1);
  settings.head_timeout = Milliseconds(20);
  app.get("/", [] { return "yes"; });
  const std::uint16_t port = running().port();
  EXPECT_TRUE(answers(port));  // what is made once is there
  running().on_loop([] { allocations_of_this_thread_may_fail(); });
  constexpr std::int64_t step = 3;
  std::int64_t n = 1;
  for (bool failed = true; failed; n += step) {
    ASSERT_LT(n, 20'000) << "the handshake does not come to its end";
    SCOPED_TRACE(n);
    fail_allocation(n);
    {
      TlsPeer peer(port);
      if (peer.shake_hands()) peer.ask("/");
      while (!peer.peer.receive_some().empty()) {  // until the server has ended it
      }
    }
    failed = stop_failing();
    ASSERT_TRUE(answers(port));
  }
  EXPECT_GT(n, 100) << "OpenSSL's allocations are not among them";
  EXPECT_TRUE(all_ended());
}

}  // namespace
}  // namespace tern::testing
