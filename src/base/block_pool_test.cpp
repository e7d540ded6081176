#include <tern/base/block_pool.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace tern::base {
namespace {

// Allocates and frees a block; whether it came from the heap.
bool asks_the_heap(std::size_t size) {
  const std::size_t before = blocks_from_heap();
  free_block(allocate_block(size), size);
  return blocks_from_heap() != before;
}

TEST(BlockPool, asks_the_heap_each_time_where_no_scope_is_alive) {
  EXPECT_TRUE(asks_the_heap(100));
  EXPECT_TRUE(asks_the_heap(100));
}

TEST(BlockPool, hands_a_block_out_again_to_every_size_of_its_class) {
  const BlockPoolScope scope;
  EXPECT_TRUE(asks_the_heap(65));
  EXPECT_FALSE(asks_the_heap(65));
  EXPECT_FALSE(asks_the_heap(128));
  EXPECT_TRUE(asks_the_heap(64));
  EXPECT_TRUE(asks_the_heap(129));
}

TEST(BlockPool, keeps_blocks_of_up_to_4096_bytes) {
  const BlockPoolScope scope;
  (void)asks_the_heap(4096);
  EXPECT_FALSE(asks_the_heap(4096));
  (void)asks_the_heap(4097);
  EXPECT_TRUE(asks_the_heap(4097));
}

TEST(BlockPool, gives_blocks_that_hold_every_byte_asked_for_and_are_aligned) {
  const BlockPoolScope scope;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size <= 4200; ++size) {
      void* block = allocate_block(size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
      std::memset(block, 0xEE, size);  // the sanitizer detects writes beyond the end
      free_block(block, size);
    }
  }
}

TEST(BlockPool, never_has_one_block_out_twice) {
  const BlockPoolScope scope;
  std::vector<void*> blocks;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 50; ++i) {
      blocks.push_back(allocate_block(200));
      std::memset(blocks.back(), i, 200);
    }
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(static_cast<unsigned char*>(blocks[static_cast<std::size_t>(i)])[199], i);
      free_block(blocks[static_cast<std::size_t>(i)], 200);
    }
    blocks.clear();
  }
}

TEST(BlockPool, keeps_a_bounded_number_of_blocks_and_gives_the_rest_back) {
  const BlockPoolScope scope;
  const auto burst = [] {
    std::vector<void*> blocks;
    const std::size_t before = blocks_from_heap();
    for (int i = 0; i < 2000; ++i) blocks.push_back(allocate_block(1000));
    for (void* block : blocks) free_block(block, 1000);
    return blocks_from_heap() - before;
  };
  EXPECT_EQ(burst(), 2000U);
  EXPECT_EQ(burst(), 2000U - 256U);
  EXPECT_EQ(burst(), 2000U - 256U);
}

TEST(BlockPool, gives_everything_back_only_when_the_outermost_scope_ends) {
  {
    const BlockPoolScope outer;
    {
      const BlockPoolScope inner;
      (void)asks_the_heap(300);
    }
    EXPECT_FALSE(asks_the_heap(300));
  }
  EXPECT_TRUE(asks_the_heap(300));
  const BlockPoolScope again;
  EXPECT_TRUE(asks_the_heap(300));
}

TEST(BlockPool, lets_a_block_outlive_the_scope_it_came_from) {
  void* block = nullptr;
  {
    const BlockPoolScope scope;
    (void)asks_the_heap(500);
    block = allocate_block(500);
  }
  std::memset(block, 1, 500);
  free_block(block, 500);
}

TEST(BlockPool, lets_a_block_change_its_thread) {
  const BlockPoolScope scope;
  void* block = nullptr;
  std::thread([&block] {
    const BlockPoolScope theirs;
    block = allocate_block(700);
  }).join();
  free_block(block, 700);
  EXPECT_FALSE(asks_the_heap(700));
}

TEST(BlockPool, is_not_shared_between_threads) {
  const BlockPoolScope scope;
  (void)asks_the_heap(900);
  bool asked = false;
  std::size_t count = 1;
  std::thread([&] {
    count = blocks_from_heap();
    asked = asks_the_heap(900);
  }).join();
  EXPECT_EQ(count, 0U);
  EXPECT_TRUE(asked);
  EXPECT_FALSE(asks_the_heap(900));
}

}  // namespace
}  // namespace tern::base
