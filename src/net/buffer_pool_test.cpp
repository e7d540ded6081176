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

std::string of(std::size_t size) {
  std::string made;
  made.reserve(size);
  return made;
}

constexpr std::size_t mebibyte = 1024 * 1024;

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
  pool.give(of(20 * mebibyte));
  pool.give(of(4 * mebibyte));
  EXPECT_EQ(pool.take(21 * mebibyte).capacity(), std::string().capacity());
  EXPECT_EQ(pool.take(mebibyte / 2).capacity(), std::string().capacity());
  EXPECT_EQ(pool.take(3 * mebibyte).capacity(), 4 * mebibyte);
  EXPECT_EQ(pool.take(11 * mebibyte).capacity(), 20 * mebibyte);
}

TEST(BufferPool, holds_no_small_buffers_and_no_more_than_its_limit) {
  ManualTimers timers;
  BufferPool pool(timers);
  pool.give(of(BufferPool::min_buffer_size - 1));
  EXPECT_EQ(pool.pooled_bytes(), 0U);
  pool.limit(10 * mebibyte);
  pool.give(of(6 * mebibyte));
  pool.give(of(6 * mebibyte));
  pool.give(of(4 * mebibyte));
  EXPECT_EQ(pool.pooled_bytes(), 10 * mebibyte);
  pool.limit(1024 * mebibyte);
  for (int i = 0; i < 10; ++i) pool.give(of(10 * mebibyte));
  EXPECT_LE(pool.pooled_bytes(), BufferPool::max_pooled_bytes);
}

TEST(BufferPool, frees_all_buffers_after_a_second_without_use) {
  ManualTimers timers;
  BufferPool pool(timers);
  pool.give(of(4 * mebibyte));
  pool.give(of(4 * mebibyte));
  pool.give(pool.take(4 * mebibyte));
  timers.go_off();
  EXPECT_EQ(pool.pooled_bytes(), 8 * mebibyte);
  pool.give(of(4 * mebibyte));
  timers.go_off();
  EXPECT_EQ(pool.pooled_bytes(), 0U);
  EXPECT_EQ(timers.armed, nullptr);
}

}  // namespace
}  // namespace tern::net
