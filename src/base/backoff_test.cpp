#include "base/backoff.hpp"

#include <gtest/gtest.h>

namespace tern::base {
namespace {

TEST(Backoff, doubles_up_to_the_longest_and_is_random_by_half) {
  Backoff backoff(Milliseconds(50));
  for (const int pause : {50, 100, 200, 400, 800, 1000, 1000}) {
    const Milliseconds next = backoff.next(Milliseconds(1000));
    EXPECT_GE(next, Milliseconds(pause / 2));
    EXPECT_LE(next, Milliseconds(pause));
  }
}

TEST(Backoff, begins_anew_after_a_success) {
  Backoff backoff(Milliseconds(50));
  for (int i = 0; i < 100; ++i) EXPECT_LE(backoff.next(Milliseconds(1000)), Milliseconds(1000));
  EXPECT_GE(backoff.next(Milliseconds(1000)), Milliseconds(500));
  backoff.reset();
  EXPECT_LE(backoff.next(Milliseconds(1000)), Milliseconds(50));
}

TEST(Backoff, has_jitter) {
  Backoff backoff(Milliseconds(1'000'000));
  const Milliseconds first = backoff.next(Milliseconds(1'000'000));
  bool differs = false;
  for (int i = 0; i < 10; ++i) differs = differs || backoff.next(Milliseconds(1'000'000)) != first;
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace tern::base
