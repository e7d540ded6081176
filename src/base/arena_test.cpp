#include <tern/base/arena.hpp>
#include <tern/base/block_pool.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern {
namespace {

bool aligned(const void* place, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(place) % alignment == 0;
}

struct Noted {
  Noted(std::vector<int>& log_, int number_) : log(log_), number(number_) {}
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;
  ~Noted() { log.push_back(number); }
  std::vector<int>& log;
  int number;
};

TEST(Arena, owns_nothing_before_its_first_use) {
  const std::size_t before = base::blocks_from_heap();
  {
    Arena arena;
    EXPECT_EQ(arena.footprint(), 0U);
    EXPECT_EQ(arena.copy("").size(), 0U);
    arena.clear();
  }
  EXPECT_EQ(base::blocks_from_heap(), before);
}

TEST(Arena, aligns_whatever_was_allocated_before) {
  for (const std::size_t alignment : std::initializer_list<std::size_t>{1, 2, 4, 8, 16}) {
    for (std::size_t odd = 0; odd < 40; ++odd) {
      Arena arena;
      (void)arena.allocate(odd, 1);
      EXPECT_TRUE(aligned(arena.allocate(24, alignment), alignment)) << odd << ' ' << alignment;
    }
  }
}

TEST(Arena, hands_out_places_that_do_not_overlap) {
  Arena arena;
  std::vector<std::pair<unsigned char*, std::size_t>> places;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t size = i % 97;
    auto* place = static_cast<unsigned char*>(arena.allocate(size, std::size_t{1} << (i % 5)));
    std::memset(place, static_cast<int>(i % 251), size);
    places.emplace_back(place, size);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t at = 0; at < places[i].second; ++at) ASSERT_EQ(places[i].first[at], i % 251) << i;
  }
}

TEST(Arena, fills_each_block_to_its_last_byte_and_not_past_it) {
  for (std::size_t size = 1900; size < 2200; ++size) {
    Arena arena;
    (void)arena.allocate(1, 1);
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{16}}) {
      auto* place =
          static_cast<char*>(arena.allocate(size, alignment));  // the sanitizer detects writes beyond the ends
      std::memset(place, 1, size);
      EXPECT_TRUE(aligned(place, alignment));
    }
  }
}

TEST(Arena, gives_one_block_to_something_larger_than_any_block) {
  Arena arena;
  const std::string large(300'000, 'x');
  EXPECT_EQ(arena.copy(large), large);
  EXPECT_GE(arena.footprint(), large.size());
  EXPECT_EQ(arena.copy("after"), "after");
}

TEST(Arena, refuses_a_size_that_overflows) {
  Arena arena;
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t less : std::initializer_list<std::size_t>{0, 1, 8, 16, 31, 32, 64}) {
    EXPECT_THROW((void)arena.allocate(most - less, 1), std::bad_alloc);
    EXPECT_THROW((void)arena.allocate(most - less), std::bad_alloc);
  }
  (void)arena.allocate(3, 1);
  EXPECT_THROW((void)arena.allocate(most, 16), std::bad_alloc);
  EXPECT_EQ(arena.copy("still works"), "still works");
}

TEST(Arena, copies_a_text_that_changes_afterwards) {
  Arena arena;
  std::string text = "before";
  const std::string_view kept = arena.copy(text);
  text = "after!";
  EXPECT_EQ(kept, "before");
}

TEST(Arena, keeps_zeros_inside_a_text) {
  Arena arena;
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(arena.copy(text), text);
}

TEST(Arena, destroys_the_last_made_first) {
  std::vector<int> log;
  Arena arena;
  for (int i = 0; i < 3; ++i) arena.make<Noted>(log, i);
  EXPECT_TRUE(log.empty());
  arena.clear();
  EXPECT_EQ(log, (std::vector{2, 1, 0}));
  arena.clear();
  EXPECT_EQ(log.size(), 3U);
}

TEST(Arena, destroys_what_it_made_when_it_ends) {
  std::vector<int> log;
  {
    Arena().make<Noted>(log, 7);
  }
  EXPECT_EQ(log, std::vector{7});
}

TEST(Arena, does_not_destroy_what_never_came_to_be) {
  struct Refuses {
    explicit Refuses(std::vector<int>& log) : noted(log, 1) { throw std::runtime_error("no"); }
    Noted noted;
  };
  std::vector<int> log;
  Arena arena;
  EXPECT_THROW(arena.make<Refuses>(log), std::runtime_error);
  EXPECT_EQ(log, std::vector{1});  // its member, as the language demands
  arena.make<Noted>(log, 2);
  arena.clear();
  EXPECT_EQ(log, (std::vector{1, 2}));
}

TEST(Arena, lets_a_constructor_and_a_destructor_use_it) {
  struct Nested {
    Nested(Arena& arena_, std::vector<int>& log_) : arena(arena_), log(log_) { arena.make<Noted>(log, 1); }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() {
      log.push_back(2);
      arena.make<Noted>(log, 3);
    }
    Arena& arena;
    std::vector<int>& log;
  };
  std::vector<int> log;
  Arena arena;
  arena.make<Nested>(arena, log);
  arena.clear();
  EXPECT_EQ(log, (std::vector{2, 3, 1}));
  EXPECT_EQ(arena.footprint(), 0U);
}

TEST(Arena, can_be_used_again_after_it_was_cleared) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(arena.copy("text"), "text");
    EXPECT_EQ(arena.make<std::string>(100U, 'x').size(), 100U);
    EXPECT_GT(arena.footprint(), 0U);
    arena.clear();
    EXPECT_EQ(arena.footprint(), 0U);
  }
}

TEST(Arena, takes_its_blocks_from_the_pool) {
  const base::BlockPoolScope scope;
  const auto use = [] {
    Arena arena;
    for (int i = 0; i < 30; ++i) arena.make<std::uint64_t>(1U);
    (void)arena.copy(std::string(1000, 'x'));
  };
  use();
  const std::size_t before = base::blocks_from_heap();
  for (int i = 0; i < 100; ++i) use();
  EXPECT_EQ(base::blocks_from_heap(), before);
}

}  // namespace
}  // namespace tern
