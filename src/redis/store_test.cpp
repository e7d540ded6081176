// RedisStore with a real Redis.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/base/number.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace tern::redis {
namespace {

using ::testing::HasSubstr;

constexpr Milliseconds hour = Seconds(3600);

class RedisStoreTest : public RealRedisTest {
protected:
  void SetUp() override {
    RealRedisTest::SetUp();
    if (!IsSkipped()) app.start(quiet());
  }
};

TEST_F(RedisStoreTest, entries_are_read_as_they_were_written) {
  RedisStore store{Redis(options())};
  run([&store]() -> Task<> {
    EXPECT_FALSE(co_await store.read("key"));
    const std::string value("\0\r\nvalue\xff", 9);
    const auto version = co_await store.write("key", value, hour);
    const auto entry = co_await store.read("key");
    EXPECT_EQ(entry.value().value, value);
    EXPECT_EQ(entry.value().version, version);
    EXPECT_NE(version, Store::absent);
    co_await store.write("key", "", hour);
    EXPECT_EQ((co_await store.read("key")).value().value, "");
  });
}

TEST_F(RedisStoreTest, conditions_are_of_the_version) {
  RedisStore store{Redis(options())};
  run([&store]() -> Task<> {
    const auto first = co_await store.write("key", "one", hour, Store::absent);
    EXPECT_TRUE(first);
    EXPECT_FALSE(co_await store.write("key", "two", hour, Store::absent));
    const auto second = co_await store.write("key", "two", hour, first);
    EXPECT_TRUE(second);
    EXPECT_NE(first, second);
    EXPECT_FALSE(co_await store.write("key", "late", hour, first));
    EXPECT_FALSE(co_await store.erase("key", first));
    EXPECT_EQ((co_await store.read("key")).value().value, "two");
    EXPECT_TRUE(co_await store.erase("key", second));
    EXPECT_FALSE(co_await store.erase("key", second));
    EXPECT_FALSE(co_await store.write("key", "revived", hour, second));
    EXPECT_FALSE(co_await store.erase("key"));
    EXPECT_FALSE(co_await store.read("key"));
  });
}

TEST_F(RedisStoreTest, entries_have_a_lifetime) {
  const Redis redis(options());
  RedisStore store(redis);
  run([&]() -> Task<> {
    EXPECT_FALSE(co_await store.extend("key", hour));
    const auto version = co_await store.write("key", "one", Milliseconds(500'000));
    const auto left = co_await redis.command<std::int64_t>("PTTL", "tern:store:key");
    EXPECT_GT(left, 400'000);
    EXPECT_LE(left, 500'000);
    EXPECT_TRUE(co_await store.extend("key", hour));
    EXPECT_GT(co_await redis.command<std::int64_t>("PTTL", "tern:store:key"), 500'000);
    EXPECT_EQ((co_await store.read("key")).value().version, version);
    const auto next = co_await store.write("key", "two", Milliseconds(500'000), version);
    EXPECT_TRUE(next);
    EXPECT_LE(co_await redis.command<std::int64_t>("PTTL", "tern:store:key"), 500'000);
    co_await store.write("short", "x", Milliseconds(1), Store::absent);
    while (co_await store.read("short")) co_await yield();
    EXPECT_TRUE(co_await store.write("short", "y", hour, Store::absent));
  });
}

TEST_F(RedisStoreTest, servers_that_write_at_the_same_time_lose_nothing) {
  App other;
  other.start(quiet());
  RedisStore here{Redis(options())};
  RedisStore there{Redis(options())};
  const auto count = [](RedisStore& store) -> Task<> {
    for (int written = 0; written < 200;) {
      const auto entry = co_await store.read("count");
      const int value = entry ? base::parse_integer<int>(entry->value).value() : 0;
      const std::string next = std::to_string(value + 1);
      if (co_await store.write("count", next, hour, entry ? entry->version : Store::absent)) ++written;
    }
  };
  std::thread elsewhere([&] { on_loop(other, [&] { return count(there); }); });
  run([&] { return count(here); });
  elsewhere.join();
  EXPECT_EQ(run([&here]() -> Task<std::string> { co_return (co_await here.read("count")).value().value; }), "400");
}

TEST_F(RedisStoreTest, prefixes_are_separate_and_strangers_are_errors) {
  RedisOptions with_prefix = options();
  with_prefix.prefix = "other";
  const Redis redis(options());
  RedisStore store(redis);
  RedisStore other{Redis(with_prefix)};
  run([&]() -> Task<> {
    co_await store.write("key", "one", hour);
    EXPECT_FALSE(co_await other.read("key"));
    for (const char* value : {"", "short", "00000000000000000", "no hexadecimal digits"}) {
      co_await redis.command("SET", "tern:store:key", value);
      bool failed = false;
      try {
        co_await store.read("key");
      } catch (const StoreError&) {
        failed = true;
      }
      EXPECT_TRUE(failed) << value;
    }
  });
}

TEST_F(RedisStoreTest, a_redis_that_is_away_is_a_store_error) {
  RedisStore store{Redis(options())};
  server.kill();
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.read("key"); }));
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.write("key", "x", hour); }));
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.write("key", "x", hour, 7); }));
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.extend("key", hour); }));
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.erase("key"); }));
  EXPECT_TRUE(throws<StoreError>(app, [&store]() -> Task<> { co_await store.erase("key", 7); }));
}

}  // namespace
}  // namespace tern::redis
