// RedisCache with a real Redis, and without one.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::HasSubstr;

constexpr Milliseconds hour = Seconds(3600);

struct Report {
  int year = 0;
  std::vector<std::string> lines;
};

class RedisCacheTest : public RealRedisTest {
public:
  // Starts so many coroutines that want the key, and returns how many got the value.
  template <class F>
  Task<int> want(const RedisCache& cache, int count, F make) {
    int got = 0;
    Scope scope;
    for (int i = 0; i < count; ++i) {
      scope.spawn([](const RedisCache& from, F& made_by, int& counted) -> Task<> {
        const auto report = co_await from.cached<Report>("report", hour, made_by);
        counted += report.year == 2026 && report.lines.size() == 2 ? 1 : 0;
      }(cache, make, got));
    }
    co_await scope.join();
    co_return got;
  }
};

TEST_F(RedisCacheTest, a_thousand_requests_for_a_cold_key_make_it_once) {
  app.start(quiet());
  const RedisCache cache{Redis(options())};
  int made = 0;
  const auto make = [&made]() -> Task<Report> {
    ++made;
    co_await sleep_for(Milliseconds(50));
    co_return Report{2026, {"a", "b"}};
  };
  EXPECT_EQ(run([&]() -> Task<int> { return want(cache, 1000, make); }), 1000);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(cache.counts().made, 1U);
  EXPECT_EQ(cache.counts().shared, 999U);
  EXPECT_EQ(run([&]() -> Task<int> { return want(cache, 10, make); }), 10);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(cache.counts().hits, 10U);
}

// The requests of four loops, over sockets.
TEST_F(RedisCacheTest, loops_make_it_once_together) {
  app.emplace_state<RedisCache>(Redis(options()));
  std::atomic<int> made = 0;
  app.get("/report", [&made](State<RedisCache> cache) -> Task<std::string> {
    const auto make = [&made]() -> Task<std::string> {
      ++made;
      co_await sleep_for(Milliseconds(100));
      co_return "made";
    };
    co_return co_await cache->cached<std::string>("key", hour, make);
  });
  Options serving = quiet();
  serving.threads = 4;
  app.start(serving);
  std::atomic<int> complete = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&] { complete += get(app.port(), "/report").ends_with("\r\n\r\nmade") ? 1 : 0; });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(complete.load(), 20);
  EXPECT_EQ(made.load(), 1);
}

// Two caches are two servers: they share nothing but Redis.
TEST_F(RedisCacheTest, servers_make_it_once_together) {
  app.start(quiet());
  const RedisCache one{Redis(options())};
  const RedisCache two{Redis(options())};
  int made = 0;
  const auto make = [&made]() -> Task<Report> {
    ++made;
    co_await sleep_for(Milliseconds(100));
    co_return Report{2026, {"a", "b"}};
  };
  run([&]() -> Task<> {
    Scope scope;
    const auto from = [](RedisCacheTest& test, const RedisCache& cache, decltype(make)& made_by) -> Task<> {
      EXPECT_EQ(co_await test.want(cache, 50, made_by), 50);
    };
    scope.spawn(from(*this, one, make));
    scope.spawn(from(*this, two, make));
    co_await scope.join();
  });
  EXPECT_EQ(made, 1);
}

TEST_F(RedisCacheTest, a_server_that_dies_delays_others_by_max_make) {
  app.start(quiet());
  const Redis redis(options());
  const RedisCache cache(redis, {.max_make = Milliseconds(300), .poll = Milliseconds(5)});
  run([&]() -> Task<> {
    co_await redis.command("SET", "tern:cache:key:lock", "of the dead", "PX", 300);
    EXPECT_EQ(co_await cache.cached<int>("key", hour, [] { return 7; }), 7);
    EXPECT_EQ(co_await redis.command<int>("EXISTS", "tern:cache:key:lock"), 0);
    EXPECT_EQ(co_await cache.cached<int>("key", hour, [] { return 8; }), 7);
  });
}

TEST_F(RedisCacheTest, the_next_makes_it_if_the_first_fails) {
  app.start(quiet());
  const RedisCache cache{Redis(options())};
  int calls = 0;
  const auto make = [&calls]() -> Task<Report> {
    co_await sleep_for(Milliseconds(20));
    if (++calls == 1) throw std::runtime_error("not today");
    co_return Report{2026, {"a", "b"}};
  };
  const auto failing = [&]() -> Task<std::string> {
    Scope scope;
    std::string what;
    scope.spawn([](const RedisCache& from, decltype(make)& made_by, std::string& into) -> Task<> {
      try {
        co_await from.cached<Report>("report", hour, made_by);
      } catch (const std::runtime_error& error) {
        into = error.what();
      }
    }(cache, make, what));
    EXPECT_EQ(co_await want(cache, 10, make), 10);
    co_await scope.join();
    co_return what;
  };
  EXPECT_EQ(run(failing), "not today");
  EXPECT_EQ(calls, 2);
}

TEST_F(RedisCacheTest, the_next_makes_it_if_the_first_is_cancelled) {
  app.start(quiet());
  const RedisCache cache{Redis(options())};
  int calls = 0;
  const auto make = [&calls]() -> Task<Report> {
    ++calls;
    co_await sleep_for(calls == 1 ? Milliseconds(60'000) : Milliseconds(1));
    co_return Report{2026, {"a", "b"}};
  };
  run([&]() -> Task<> {
    Scope first;
    first.spawn([](const RedisCache& from, decltype(make)& made_by) -> Task<> {
      co_await from.cached<Report>("report", hour, made_by);
    }(cache, make));
    while (calls == 0) co_await sleep_for(Milliseconds(1));
    Scope others;
    others.spawn([](RedisCacheTest& test, const RedisCache& from, decltype(make)& made_by) -> Task<> {
      EXPECT_EQ(co_await test.want(from, 10, made_by), 10);
    }(*this, cache, make));
    co_await sleep_for(Milliseconds(5));
    first.stop();
    co_await others.join();
  });
  EXPECT_EQ(calls, 2);
}

TEST_F(RedisCacheTest, values_live_as_long_as_they_are_said_to) {
  app.start(quiet());
  const Redis redis(options());
  const RedisCache cache(redis);
  run([&]() -> Task<> {
    co_await cache.cached<int>("short", Milliseconds(90'000), [] { return 1; });
    const auto left = co_await redis.command<int>("PTTL", "tern:cache:short");
    EXPECT_GT(left, 60'000);
    EXPECT_LE(left, 90'000);
    EXPECT_TRUE(co_await cache.erase("short"));
    EXPECT_FALSE(co_await cache.erase("short"));
    EXPECT_EQ(co_await cache.cached<int>("short", hour, [] { return 2; }), 2);
  });
}

TEST_F(RedisCacheTest, what_is_erased_while_it_is_made_is_not_kept) {
  app.start(quiet());
  const Redis redis(options());
  const RedisCache cache(redis);
  run([&]() -> Task<> {
    const auto make = [&]() -> Task<int> {
      co_await cache.erase("key");
      co_return 1;
    };
    EXPECT_EQ(co_await cache.cached<int>("key", hour, make), 1);
    EXPECT_EQ(co_await redis.command<int>("EXISTS", "tern:cache:key"), 0);
    EXPECT_EQ(co_await cache.cached<int>("key", hour, [] { return 2; }), 2);
  });
}

TEST_F(RedisCacheTest, texts_are_any_bytes_and_others_versions_are_made_anew) {
  app.start(quiet());
  const Redis redis(options());
  const RedisCache cache(redis);
  run([&]() -> Task<> {
    const std::string bytes("\0\xff\r\n", 4);
    const auto make = [&bytes] { return bytes; };
    EXPECT_EQ(co_await cache.cached<std::string>("bytes", hour, make), bytes);
    EXPECT_EQ(co_await cache.cached<std::string>("bytes", hour, make), bytes);
    EXPECT_EQ(cache.counts().hits, 1U);
    co_await redis.command("SET", "tern:cache:report", R"({"renamed":1})");
    const auto report = co_await cache.cached<Report>("report", hour, [] { return Report{2026, {}}; });
    EXPECT_EQ(report.year, 2026);
    const auto again = co_await cache.cached<Report>("report", hour, [] { return Report{1, {}}; });
    EXPECT_EQ(again.year, 2026);
  });
}

TEST_F(RedisCacheTest, without_redis_values_are_made_for_those_who_wait) {
  app.start(quiet());
  const RedisCache cache{Redis(options())};
  server.kill();
  int made = 0;
  const auto make = [&made]() -> Task<Report> {
    ++made;
    co_await sleep_for(Milliseconds(30));
    co_return Report{2026, {"a", "b"}};
  };
  EXPECT_EQ(run([&]() -> Task<int> { return want(cache, 100, make); }), 100);
  EXPECT_EQ(made, 1);
  EXPECT_GE(cache.counts().errors, 100U);
  EXPECT_EQ(run([&]() -> Task<int> { return want(cache, 1, make); }), 1);
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace tern::redis
