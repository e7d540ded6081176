#include "exchange/memory_budget.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tern::exchange {
namespace {

// Keeps the jobs, to be run by the test.
struct ManualPool final : Offloader {
  bool submit(Priority, Job& job) noexcept override {
    if (full) return false;
    jobs.push_back(&job);
    return true;
  }
  bool withdraw(Job&) noexcept override { return false; }
  std::vector<Job*> jobs;
  bool full = false;
};

TEST(MemoryBudget, takes_up_to_its_limit_and_no_byte_more) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_EQ(budget.used(), 60U);
  EXPECT_TRUE(budget.take(40));
  EXPECT_FALSE(budget.has_room_for(1));
  budget.give_back(100);
  EXPECT_TRUE(budget.has_room_for(100));
  EXPECT_FALSE(budget.has_room_for(101));
}

TEST(MemoryBudget, is_tight_beyond_half_of_its_limit) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(50));
  EXPECT_FALSE(budget.is_tight());
  EXPECT_TRUE(budget.take(1));
  EXPECT_TRUE(budget.is_tight());
}

TEST(MemoryBudget, counts_existing_contents_beyond_its_limit) {
  MemoryBudget budget(100);
  {
    HeldBytes held(budget);
    held.set(150);
    EXPECT_EQ(budget.used(), 150U);
    EXPECT_FALSE(budget.has_room_for(0));
    held.set(30);
    EXPECT_EQ(budget.used(), 30U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(MemoryBudget, trims_once_after_a_burst) {
  MemoryBudget budget(4 * MemoryBudget::burst);
  ManualPool pool;
  budget.add(MemoryBudget::burst - 1);
  EXPECT_FALSE(budget.had_burst());
  budget.add(1);
  EXPECT_TRUE(budget.had_burst());
  EXPECT_FALSE(budget.burst_is_over());
  budget.give_back(MemoryBudget::burst);
  EXPECT_TRUE(budget.burst_is_over());
  budget.trim(pool);
  budget.trim(pool);  // in progress
  ASSERT_EQ(pool.jobs.size(), 1U);
  EXPECT_FALSE(budget.had_burst());
  pool.jobs.front()->run();
  EXPECT_EQ(budget.trims(), 1U);
  budget.trim(pool);
  EXPECT_EQ(pool.jobs.size(), 2U);
  pool.jobs.back()->drop();
}

TEST(MemoryBudget, a_full_pool_may_be_asked_again) {
  MemoryBudget budget(1);
  ManualPool pool;
  pool.full = true;
  budget.trim(pool);
  pool.full = false;
  budget.trim(pool);
  EXPECT_EQ(pool.jobs.size(), 1U);
  pool.jobs.front()->drop();
}

}  // namespace
}  // namespace tern::exchange
