// RedisRateStore with a real Redis.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace tern::redis {
namespace {

constexpr std::uint64_t second_in_ns = 1'000'000'000;
constexpr RateRule hourly{"hourly", 10, Seconds(3600)};

class RedisRateStoreTest : public RealRedisTest {
protected:
  void SetUp() override {
    RealRedisTest::SetUp();
    if (!IsSkipped()) app.start(quiet());
  }
};

TEST_F(RedisRateStoreTest, gives_a_burst_and_then_refuses) {
  RedisRateStore store{Redis(options())};
  run([&store]() -> Task<> {
    for (std::uint64_t left = 10; left-- > 0;) {
      const RateOutcome outcome = co_await store.take(hourly, "a", 1);
      EXPECT_TRUE(outcome.allowed);
      EXPECT_EQ(outcome.remaining, left);
      EXPECT_EQ(outcome.allowed_in, 0U);
      EXPECT_LE(outcome.full_in, (10 - left) * 360 * second_in_ns);
      EXPECT_GT(outcome.full_in, (10 - left) * 360 * second_in_ns - 60 * second_in_ns);
    }
    const RateOutcome refused = co_await store.take(hourly, "a", 1);
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.remaining, 0U);
    EXPECT_GT(refused.allowed_in, 300 * second_in_ns);
    EXPECT_LE(refused.allowed_in, 360 * second_in_ns);
    EXPECT_TRUE((co_await store.take(hourly, "b", 1)).allowed);
    const RateRule other{"other", 10, Seconds(3600)};
    EXPECT_EQ((co_await store.take(other, "a", 1)).remaining, 9U);
  });
}

TEST_F(RedisRateStoreTest, costs_are_taken_whole_and_given_back) {
  RedisRateStore store{Redis(options())};
  run([&store]() -> Task<> {
    EXPECT_TRUE((co_await store.take(hourly, "a", 7)).allowed);
    EXPECT_FALSE((co_await store.take(hourly, "a", 4)).allowed);
    EXPECT_EQ((co_await store.take(hourly, "a", 3)).remaining, 0U);
    for (const std::uint64_t cost : {std::uint64_t{11}, UINT64_MAX / 2, UINT64_MAX}) {
      EXPECT_FALSE((co_await store.take(hourly, "b", cost)).allowed) << cost;
    }
    EXPECT_EQ((co_await store.give_back(hourly, "a", 4)).remaining, 4U);
    EXPECT_TRUE((co_await store.take(hourly, "a", 4)).allowed);
    EXPECT_EQ((co_await store.give_back(hourly, "a", 1'000'000)).remaining, 10U);
    EXPECT_EQ((co_await store.give_back(hourly, "never seen", 1)).remaining, 10U);
    EXPECT_EQ((co_await store.take(hourly, "a", 1)).remaining, 9U);  // no more than the limit
  });
}

// The state of a key is the microsecond at which its bucket is full.
TEST_F(RedisRateStoreTest, follows_the_clock_of_redis_in_both_directions) {
  const Redis redis(options());
  RedisRateStore store(redis);
  run([&]() -> Task<> {
    const std::string key = "tern:rate:hourly:10/3600:a";
    EXPECT_TRUE((co_await store.take(hourly, "a", 10)).allowed);
    const auto full_at = co_await redis.command<double>("GET", key);
    const auto expires_in = co_await redis.command<std::int64_t>("PTTL", key);
    EXPECT_GT(expires_in, 3'500'000);
    EXPECT_LE(expires_in, 3'600'001);
    co_await redis.command("SET", key, full_at - 1e6 * 720);  // 720 seconds later: two tokens are back
    EXPECT_EQ((co_await store.take(hourly, "a", 1)).remaining, 1U);
    EXPECT_EQ((co_await store.take(hourly, "a", 1)).remaining, 0U);
    EXPECT_FALSE((co_await store.take(hourly, "a", 1)).allowed);
    co_await redis.command("SET", key, full_at + 1e6 * 86'400);  // a day back: empty, for no longer than the window
    const RateOutcome back = co_await store.take(hourly, "a", 1);
    EXPECT_FALSE(back.allowed);
    EXPECT_LE(back.full_in, 3600 * second_in_ns);
    co_await redis.command("SET", key, full_at - 1e6 * 86'400);  // a day later: full
    EXPECT_EQ((co_await store.take(hourly, "a", 1)).remaining, 9U);
  });
}

TEST_F(RedisRateStoreTest, keys_are_any_bytes_and_bounded) {
  const Redis redis(options());
  RedisRateStore store(redis);
  run([&]() -> Task<> {
    const std::string bytes("\0\r\n\xff", 4);
    EXPECT_EQ((co_await store.take(hourly, bytes, 1)).remaining, 9U);
    EXPECT_EQ((co_await store.take(hourly, bytes, 1)).remaining, 8U);
    EXPECT_EQ((co_await store.take(hourly, std::string(100'000, 'a'), 1)).remaining, 9U);
    EXPECT_EQ((co_await store.take(hourly, std::string(100'000, 'a'), 1)).remaining, 8U);
    EXPECT_EQ((co_await store.take(hourly, std::string(99'999, 'a'), 1)).remaining, 9U);
    const auto keys = co_await redis.command<std::vector<std::string>>("KEYS", "*");
    for (const std::string& key : keys) {
      EXPECT_LT(key.size(), 128U);
    }
  });
}

TEST_F(RedisRateStoreTest, limits_of_many_tokens_are_exact) {
  RedisRateStore store{Redis(options())};
  run([&store]() -> Task<> {
    const RateRule large{"large", 999'983, Seconds(86'400)};
    EXPECT_EQ((co_await store.take(large, "a", 999'982)).remaining, 1U);
    EXPECT_TRUE((co_await store.take(large, "a", 1)).allowed);
    const RateRule sevenths{"sevenths", 7, Seconds(3600)};
    for (std::uint64_t left = 7; left-- > 0;) {
      EXPECT_EQ((co_await store.take(sevenths, "a", 1)).remaining, left);
    }
    EXPECT_FALSE((co_await store.take(sevenths, "a", 1)).allowed);
  });
}

TEST_F(RedisRateStoreTest, servers_share_a_limit_exactly) {
  constexpr RateRule shared{"shared", 500, Seconds(86'400)};
  std::atomic<int> allowed = 0;
  const auto ask = [&allowed, &shared](RedisRateStore& store) -> Task<> {
    for (int i = 0; i < 400; ++i) allowed += (co_await store.take(shared, "a", 1)).allowed ? 1 : 0;
  };
  App other;
  other.start(quiet());
  RedisRateStore here{Redis(options())};
  RedisRateStore there{Redis(options())};
  std::thread elsewhere([&] { on_loop(other, [&] { return ask(there); }); });
  run([&] { return ask(here); });
  elsewhere.join();
  EXPECT_EQ(allowed.load(), 500);
}

TEST_F(RedisRateStoreTest, what_is_not_of_a_limit_is_a_store_error) {
  const Redis redis(options());
  RedisRateStore store(redis);
  run([&redis]() -> Task<> { co_await redis.command("LPUSH", "tern:rate:hourly:10/3600:a", "x"); });
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.take(hourly, "a", 1); }));
  server.kill();
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.take(hourly, "b", 1); }));
}

}  // namespace
}  // namespace tern::redis
