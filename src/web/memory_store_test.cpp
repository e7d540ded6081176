#include "coro/manual_executor.hpp"

#include <tern/tern.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

template <class T>
T stored_result(Task<T> task) {
  if (!task.start(nullptr, nullptr)) throw std::logic_error("the store waits");
  return task.result();
}

class StoreInMemory : public ::testing::Test {
protected:
  std::optional<std::string> read(std::string_view key) {
    const auto found = stored_result(store.read(key));
    return found ? std::optional(found->value) : std::nullopt;
  }
  std::optional<std::uint64_t> write(std::string_view key, std::string_view value,
                                     std::optional<std::uint64_t> expected = {}) {
    return stored_result(store.write(key, value, Seconds(10), expected));
  }

  coro::ManualExecutor executor;
  MemoryStore store = MemoryStore({.max_bytes = 1024 * 1024});
};

TEST_F(StoreInMemory, keeps_a_value_until_it_is_erased) {
  EXPECT_EQ(read("a"), std::nullopt);
  write("a", std::string("1\0\xFF", 3));
  EXPECT_EQ(read("a"), std::string("1\0\xFF", 3));
  EXPECT_TRUE(stored_result(store.erase("a")));
  EXPECT_FALSE(stored_result(store.erase("a")));
  EXPECT_EQ(read("a"), std::nullopt);
}

TEST_F(StoreInMemory, writes_only_the_expected_version) {
  const auto first = write("a", "1", Store::absent);
  ASSERT_TRUE(first);
  EXPECT_NE(*first, Store::absent);
  EXPECT_EQ(write("a", "2", Store::absent), std::nullopt);
  EXPECT_EQ(stored_result(store.read("a"))->version, *first);
  const auto second = write("a", "3", *first);
  ASSERT_TRUE(second);
  EXPECT_EQ(write("a", "4", *first), std::nullopt);
  EXPECT_EQ(read("a"), "3");
  EXPECT_EQ(write("b", "1", 77), std::nullopt);
}

TEST_F(StoreInMemory, what_was_erased_does_not_come_back) {
  const auto first = write("a", "1", Store::absent);
  stored_result(store.erase("a"));
  EXPECT_EQ(write("a", "2", first), std::nullopt);
  const auto again = write("a", "1", Store::absent);
  EXPECT_NE(again, first);
  EXPECT_EQ(write("a", "2", first), std::nullopt);
  EXPECT_FALSE(stored_result(store.erase("a", first)));
  EXPECT_TRUE(stored_result(store.erase("a", again)));
}

TEST_F(StoreInMemory, entries_expire) {
  write("a", "1");
  executor.advance(9'999);
  EXPECT_EQ(read("a"), "1");
  executor.advance(1);
  EXPECT_EQ(read("a"), std::nullopt);
  EXPECT_FALSE(stored_result(store.extend("a", Seconds(10))));
  EXPECT_TRUE(write("a", "2", Store::absent));
}

TEST_F(StoreInMemory, extending_keeps_the_version) {
  const auto version = write("a", "1");
  executor.advance(9'000);
  EXPECT_TRUE(stored_result(store.extend("a", Seconds(10))));
  executor.advance(9'000);
  EXPECT_EQ(read("a"), "1");
  EXPECT_TRUE(write("a", "2", version));
}

TEST_F(StoreInMemory, expired_entries_are_removed_without_being_read) {
  for (int i = 0; i < 1000; ++i) write("old" + std::to_string(i), "1");
  executor.advance(70'000);
  for (int i = 0; i < 1000; ++i) write("new" + std::to_string(i), "1");
  EXPECT_EQ(store.entries(), 1000U);
}

TEST_F(StoreInMemory, memory_is_bounded_and_the_least_recently_used_goes) {
  write("kept", "1");
  for (int i = 0; i < 20'000; ++i) {
    write("flood" + std::to_string(i), std::string(200, 'x'));
    ASSERT_EQ(read("kept"), "1");
  }
  EXPECT_LE(store.bytes(), 1024U * 1024U);
  EXPECT_LT(store.entries(), 5000U);
  EXPECT_EQ(read("flood0"), std::nullopt);
}

TEST_F(StoreInMemory, refuses_a_value_that_is_too_large) {
  EXPECT_THROW(write("a", std::string(100'000, 'x')), StoreError);
  EXPECT_EQ(read("a"), std::nullopt);
  EXPECT_THROW(MemoryStore({.max_bytes = 1000}), SetupError);
}

// Without the executor's clock, which is that of this thread only.
TEST(StoreOnThreads, of_many_threads_one_wins_each_version) {
  MemoryStore store;
  stored_result(store.write("counter", "", Seconds(1000)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&store] {
      for (int done = 0; done < 500;) {
        const auto found = stored_result(store.read("counter"));
        const std::string next = found->value + ".";
        done += stored_result(store.write("counter", next, Seconds(1000), found->version)) ? 1 : 0;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(stored_result(store.read("counter"))->value, std::string(2000, '.'));
}

}  // namespace
}  // namespace tern::web
