#include "net/spare_strings.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tern::net {
namespace {

// Timers that go off when a test says so.
struct HandTimers final : Timers {
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

TEST(SpareStrings, gives_the_memory_of_one_that_was_kept) {
  HandTimers timers;
  SpareStrings spares(timers);
  std::string used(10 * mebibyte, 'x');
  const char* const memory = used.data();
  spares.give(std::move(used));
  EXPECT_GE(spares.kept(), 10 * mebibyte);
  const std::string found = spares.take(9 * mebibyte);
  EXPECT_EQ(found.data(), memory);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(spares.kept(), 0U);
}

TEST(SpareStrings, gives_the_smallest_that_fits_and_none_that_is_far_too_large) {
  HandTimers timers;
  SpareStrings spares(timers);
  spares.give(of(20 * mebibyte));
  spares.give(of(4 * mebibyte));
  EXPECT_EQ(spares.take(21 * mebibyte).capacity(), std::string().capacity());
  EXPECT_EQ(spares.take(mebibyte / 2).capacity(), std::string().capacity());
  EXPECT_EQ(spares.take(3 * mebibyte).capacity(), 4 * mebibyte);
  EXPECT_EQ(spares.take(11 * mebibyte).capacity(), 20 * mebibyte);
}

TEST(SpareStrings, keeps_no_small_ones_and_no_more_than_its_limit) {
  HandTimers timers;
  SpareStrings spares(timers);
  spares.give(of(SpareStrings::least - 1));
  EXPECT_EQ(spares.kept(), 0U);
  spares.limit(10 * mebibyte);
  spares.give(of(6 * mebibyte));
  spares.give(of(6 * mebibyte));
  spares.give(of(4 * mebibyte));
  EXPECT_EQ(spares.kept(), 10 * mebibyte);
  spares.limit(1024 * mebibyte);
  for (int i = 0; i < 10; ++i) spares.give(of(10 * mebibyte));
  EXPECT_LE(spares.kept(), SpareStrings::most);
}

TEST(SpareStrings, lets_all_go_when_nobody_has_taken_one_for_a_while) {
  HandTimers timers;
  SpareStrings spares(timers);
  spares.give(of(4 * mebibyte));
  spares.give(of(4 * mebibyte));
  spares.give(spares.take(4 * mebibyte));
  timers.go_off();
  EXPECT_EQ(spares.kept(), 8 * mebibyte);
  spares.give(of(4 * mebibyte));
  timers.go_off();
  EXPECT_EQ(spares.kept(), 0U);
  EXPECT_EQ(timers.armed, nullptr);
}

}  // namespace
}  // namespace tern::net
