// Commands that wait, and streams, with a real Redis.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Popped = std::optional<std::vector<std::string>>;
using Entries = std::optional<std::map<std::string, std::vector<RedisStreamEntry>>>;

class RedisBlockingTest : public RealRedisTest {
protected:
  void SetUp() override {
    RealRedisTest::SetUp();
    if (!IsSkipped()) app.start(quiet());
  }
};

// Until so many clients wait in Redis.
Task<> until_blocked(const Redis& redis, int count) {
  const std::string wanted = "blocked_clients:" + std::to_string(count) + "\r\n";
  while (true) {
    const auto info = co_await redis.command<std::string>("INFO", "clients");
    if (info.find(wanted) != std::string::npos) co_return;
  }
}

TEST_F(RedisBlockingTest, a_waiting_command_delays_no_other) {
  const Redis redis(options());
  const RedisBlocking queue(redis, Seconds(20));
  run([&]() -> Task<> {
    Popped popped;
    Scope scope;
    scope.spawn([](const RedisBlocking& from, Popped& into) -> Task<> {
      into = co_await from.command<Popped>("BLPOP", "jobs", 20);
    }(queue, popped));
    co_await until_blocked(redis, 1);
    EXPECT_EQ(co_await redis.command<int>("RPUSH", "jobs", "one"), 1);
    co_await scope.join();
    EXPECT_THAT(popped.value(), ElementsAre("jobs", "one"));
    EXPECT_FALSE(co_await queue.command<Popped>("BLPOP", "jobs", 0.01));
  });
}

TEST_F(RedisBlockingTest, a_stopped_wait_takes_nothing) {
  const Redis redis(options());
  const RedisBlocking queue(redis, Seconds(20));
  run([&]() -> Task<> {
    bool timed_out = false;
    try {
      co_await with_timeout(Milliseconds(20), queue.command<Popped>("BLPOP", "jobs", 20));
    } catch (const TimedOut&) {
      timed_out = true;
    }
    EXPECT_TRUE(timed_out);
    co_await until_blocked(redis, 0);
    co_await redis.command<int>("RPUSH", "jobs", "kept");
    // The next command makes a connection.
    const Popped popped = co_await queue.command<Popped>("BLPOP", "jobs", 20);
    EXPECT_THAT(popped.value(), ElementsAre("jobs", "kept"));
  });
}

TEST_F(RedisBlockingTest, waits_longer_than_the_timeout_of_other_commands) {
  RedisOptions impatient = options();
  impatient.timeout = Milliseconds(200);
  const Redis redis(impatient);
  const RedisBlocking queue(redis, Seconds(20));
  run([&]() -> Task<> { EXPECT_FALSE(co_await queue.command<Popped>("BLPOP", "jobs", 0.5)); });
  const RedisBlocking brief(redis, Milliseconds(1));
  const auto error = error_of(app, [&]() -> Task<> { co_await brief.command<Popped>("BLPOP", "jobs", 20); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->fault, RedisFault::TimedOut);
}

TEST_F(RedisBlockingTest, a_redis_that_dies_ends_the_wait) {
  const Redis redis(options());
  const RedisBlocking queue(redis, Seconds(20));
  const auto error = error_of(app, [&]() -> Task<> {
    std::exception_ptr failure;
    Scope scope;
    scope.spawn([](const RedisBlocking& from, std::exception_ptr& into) -> Task<> {
      try {
        co_await from.command<Popped>("BLPOP", "jobs", 20);
      } catch (...) {
        into = std::current_exception();
      }
    }(queue, failure));
    co_await until_blocked(redis, 1);
    server.kill();
    co_await scope.join();
    if (failure) std::rethrow_exception(failure);
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->fault, RedisFault::Lost);
}

TEST_F(RedisBlockingTest, commands_that_change_the_connection_are_refused) {
  const Redis redis(options());
  const RedisBlocking queue(redis, Seconds(1));
  EXPECT_THROW(static_cast<void>(queue.command("SUBSCRIBE", "a")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(queue.command("MULTI")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(redis.command("BLPOP", "a", 1)), std::invalid_argument);
}

TEST_F(RedisBlockingTest, streams_are_read_by_type) {
  const Redis redis(options());
  const RedisBlocking events(redis, Seconds(20));
  run([&]() -> Task<> {
    const auto first = co_await redis.command<std::string>("XADD", "log", "1-1", "kind", "start", "by", "ann");
    EXPECT_EQ(first, "1-1");
    co_await redis.command("XADD", "log", "1-2", "kind", "end");
    const auto all = co_await redis.command<std::vector<RedisStreamEntry>>("XRANGE", "log", "-", "+");
    EXPECT_EQ(all.size(), 2U);
    EXPECT_THAT(all[0].fields, ElementsAre(Pair("kind", "start"), Pair("by", "ann")));
    EXPECT_EQ(all[1].field("kind"), "end");
    EXPECT_EQ(all[1].field("by"), "");

    EXPECT_FALSE(co_await events.command<Entries>("XREAD", "BLOCK", 1, "STREAMS", "log", "$"));
    Entries read;
    Scope scope;
    scope.spawn([](const RedisBlocking& from, Entries& into) -> Task<> {
      into = co_await from.command<Entries>("XREAD", "BLOCK", 20'000, "STREAMS", "log", "other", "1-2", "0");
    }(events, read));
    co_await until_blocked(redis, 1);
    co_await redis.command("XADD", "log", "1-3", "kind", "again");
    co_await scope.join();
    EXPECT_EQ(read.value().size(), 1U);
    EXPECT_EQ(read.value()["log"].at(0).id, "1-3");

    co_await redis.command("XGROUP", "CREATE", "log", "workers", 0);
    const auto mine = co_await events.command<Entries>("XREADGROUP", "GROUP", "workers", "a", "COUNT", 1, "BLOCK", 1,
                                                       "STREAMS", "log", ">");
    EXPECT_EQ(mine.value().at("log").at(0).id, "1-1");
    co_await redis.command("XDEL", "log", "1-1");
    const auto pending = co_await events.command<Entries>("XREADGROUP", "GROUP", "workers", "a", "STREAMS", "log", "0");
    EXPECT_TRUE(pending.value().at("log").at(0).fields.empty());
    EXPECT_EQ(co_await redis.command<int>("XACK", "log", "workers", "1-1"), 1);
  });
}

}  // namespace
}  // namespace tern::redis
