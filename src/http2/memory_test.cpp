// The contract of nghttp2's allocator.
#include "http2/memory.hpp"

#include "http2/callbacks.hpp"

#include <tern/base/block_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

namespace tern::http2 {
namespace {

class Http2Memory : public ::testing::Test {
protected:
  char* allocate(std::size_t size) { return static_cast<char*>(memory.malloc(size, memory.mem_user_data)); }
  char* cleared(std::size_t count, std::size_t size) {
    return static_cast<char*>(memory.calloc(count, size, memory.mem_user_data));
  }
  char* resize(void* piece, std::size_t size) {
    return static_cast<char*>(memory.realloc(piece, size, memory.mem_user_data));
  }
  void free(void* piece) { memory.free(piece, memory.mem_user_data); }

  Memory session;
  nghttp2_mem memory = allocator_of(session);
};

TEST_F(Http2Memory, pieces_are_aligned_and_apart) {
  for (const std::size_t size : {0U, 1U, 63U, 64U, 4096U, 4097U, 100'000U}) {
    char* one = allocate(size);
    char* two = allocate(size);
    ASSERT_NE(one, nullptr);
    ASSERT_NE(two, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % alignof(std::max_align_t), 0U);
    std::memset(one, 1, size);
    std::memset(two, 2, size);
    EXPECT_EQ(std::count(one, one + size, 1), static_cast<std::ptrdiff_t>(size));
    free(one);
    free(two);
  }
  free(nullptr);
}

TEST_F(Http2Memory, a_piece_keeps_what_it_holds_when_its_size_changes) {
  const base::BlockPoolScope scope;
  std::string text(10'000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
  char* piece = resize(nullptr, 10);
  ASSERT_NE(piece, nullptr);
  text.copy(piece, 10);
  std::size_t kept = 10;
  for (const std::size_t size : {100U, 4000U, 10'000U, 5000U, 64U, 3U}) {
    piece = resize(piece, size);
    ASSERT_NE(piece, nullptr);
    kept = std::min(kept, size);
    EXPECT_EQ(std::string_view(piece, kept), std::string_view(text).substr(0, kept)) << size;
    text.copy(piece, size);
    kept = size;
  }
  free(piece);
}

TEST_F(Http2Memory, cleared_pieces_hold_nothing_of_others) {
  const base::BlockPoolScope scope;
  char* used = allocate(200);
  std::memset(used, 7, 200);
  free(used);
  const std::size_t before = base::blocks_from_heap();
  char* piece = cleared(20, 10);
  EXPECT_EQ(base::blocks_from_heap(), before) << "the same block";
  EXPECT_EQ(std::count(piece, piece + 200, 0), 200);
  free(piece);
}

TEST_F(Http2Memory, what_is_too_much_is_refused) {
  EXPECT_EQ(cleared(SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(cleared(SIZE_MAX, SIZE_MAX), nullptr);
  EXPECT_EQ(allocate(SIZE_MAX), nullptr);
  char* piece = allocate(8);
  std::memcpy(piece, "content", 8);
  EXPECT_EQ(resize(piece, SIZE_MAX), nullptr);
  EXPECT_STREQ(piece, "content") << "it is still there";
  free(piece);
  EXPECT_TRUE(session.has_failed());
}

TEST_F(Http2Memory, what_is_left_is_freed_at_the_end) {
  const base::BlockPoolScope scope;
  const std::size_t before = base::blocks_from_heap();
  for (int i = 0; i < 3; ++i) {
    Memory other;
    nghttp2_mem functions = allocator_of(other);
    for (const std::size_t size : {100U, 200U, 300U}) {
      EXPECT_NE(functions.malloc(size, functions.mem_user_data), nullptr);
    }
    EXPECT_FALSE(other.has_failed());
  }
  EXPECT_EQ(base::blocks_from_heap(), before + 3) << "the same blocks each time";
}

TEST_F(Http2Memory, small_pieces_come_again_and_large_ones_do_not) {
  const base::BlockPoolScope scope;
  const auto asks_the_heap = [this](std::size_t size) {
    const std::size_t before = base::blocks_from_heap();
    free(allocate(size));
    return base::blocks_from_heap() != before;
  };
  EXPECT_TRUE(asks_the_heap(300));
  EXPECT_FALSE(asks_the_heap(300));
  EXPECT_TRUE(asks_the_heap(4096));  // with its header, larger than the blocks of the pool
  EXPECT_TRUE(asks_the_heap(4096));
}

TEST_F(Http2Memory, a_piece_may_end_on_a_thread_without_a_pool) {
  const base::BlockPoolScope scope;
  char* small = allocate(100);
  char* large = allocate(10'000);
  std::memset(small, 1, 100);
  std::memset(large, 1, 10'000);
  std::thread([&] {
    small = resize(small, 1000);
    EXPECT_EQ(std::count(small, small + 100, 1), 100);
    free(small);
    free(large);
  }).join();
}

}  // namespace
}  // namespace tern::http2
