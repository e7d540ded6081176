#include "net/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tern::net {
namespace {

// Timers that go off when a test says so.
struct ManualTimers final : Timers {
  std::uint64_t now() const noexcept override { return 0; }
  void arm(Timer& timer, Milliseconds) override {
    armed = &timer;
    timer.links.previous = &armed;
  }
  void disarm(Timer& timer) noexcept override {
    timer.links.previous = nullptr;
    armed = nullptr;
  }
  void go_off() {
    Timer& timer = *armed;
    disarm(timer);
    timer.on_timer();
  }
  Timer* armed = nullptr;
};

constexpr std::size_t mebibyte = 1024 * 1024;

// Allocates that much, the terminator included: the standard library may round up other sizes.
std::string of(std::size_t mebibytes) {
  std::string made;
  made.reserve(mebibytes * mebibyte - 1);
  return made;
}

TEST(BufferPool, reuses_a_buffer) {
  ManualTimers timers;
  BufferPool pool(timers);
  std::string used(10 * mebibyte, 'x');
  const char* const memory = used.data();
  pool.give(std::move(used));
  EXPECT_GE(pool.pooled_bytes(), 10 * mebibyte);
  const std::string found = pool.take(9 * mebibyte);
  EXPECT_EQ(found.data(), memory);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(pool.pooled_bytes(), 0U);
}

TEST(BufferPool, takes_the_smallest_that_fits_and_none_that_is_far_too_large) {
  ManualTimers timers;
  BufferPool pool(timers);
  pool.give(of(20));
  pool.give(of(4));
  EXPECT_EQ(pool.take(21 * mebibyte).capacity(), std::string().capacity());
  EXPECT_EQ(pool.take(mebibyte / 2).capacity(), std::string().capacity());
  EXPECT_EQ(pool.take(3 * mebibyte).capacity(), 4 * mebibyte - 1);
  EXPECT_EQ(pool.take(11 * mebibyte).capacity(), 20 * mebibyte - 1);
}

TEST(BufferPool, holds_no_small_buffers_and_no_more_than_its_limit) {
  ManualTimers timers;
  BufferPool pool(timers);
  static_assert(BufferPool::min_buffer_size == 2 * mebibyte);
  pool.give(of(2));
  EXPECT_EQ(pool.pooled_bytes(), 0U);
  pool.limit(10 * mebibyte);
  pool.give(of(6));
  pool.give(of(6));
  pool.give(of(4));
  EXPECT_EQ(pool.pooled_bytes(), 10 * mebibyte - 2);
  pool.limit(1024 * mebibyte);
  for (int i = 0; i < 10; ++i) pool.give(of(10));
  EXPECT_LE(pool.pooled_bytes(), BufferPool::max_pooled_bytes);
}

TEST(BufferPool, frees_all_buffers_after_a_second_without_use) {
  ManualTimers timers;
  BufferPool pool(timers);
  pool.give(of(4));
  pool.give(of(4));
  pool.give(pool.take(4 * mebibyte - 1));
  timers.go_off();
  EXPECT_EQ(pool.pooled_bytes(), 8 * mebibyte - 2);
  pool.give(of(4));
  timers.go_off();
  EXPECT_EQ(pool.pooled_bytes(), 0U);
  EXPECT_EQ(timers.armed, nullptr);
}

}  // namespace
}  // namespace tern::net
