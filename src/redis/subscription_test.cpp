// Subscriptions with a real Redis, and with servers that are none.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class RedisSubscriptionTest : public RealRedisTest {
protected:
  void SetUp() override {
    RealRedisTest::SetUp();
    if (!IsSkipped()) app.start(quiet());
  }
};

// Until so many subscribers of the channel exist, and no more.
Task<> until_subscribers(const Redis& redis, std::string channel, int count) {
  using Counts = std::vector<std::pair<std::string, int>>;
  while (true) {
    const auto counts = co_await redis.command<Counts>("PUBSUB", "NUMSUB", channel);
    if (counts.at(0).second == count) co_return;
  }
}

TEST_F(RedisSubscriptionTest, messages_arrive_in_their_order) {
  const Redis redis(options());
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders", "bills"});
    co_await orders.subscribe();
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", "7"), 1);
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "bills", std::string("\0\r\n", 3)), 1);
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "others", "8"), 0);
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", ""), 1);
    const RedisMessage first = co_await orders.next();
    EXPECT_EQ(first.channel, "orders");
    EXPECT_EQ(first.payload, "7");
    EXPECT_EQ(first.pattern, "");
    EXPECT_FALSE(first.missed);
    const RedisMessage second = co_await orders.next();
    EXPECT_EQ(second.channel, "bills");
    EXPECT_EQ(second.payload, std::string("\0\r\n", 3));
    const RedisMessage third = co_await orders.next();
    EXPECT_EQ(third.channel, "orders");
    EXPECT_EQ(third.payload, "");
  });
}

TEST_F(RedisSubscriptionTest, patterns_name_the_channel_that_they_have_found) {
  const Redis redis(options());
  run([&]() -> Task<> {
    RedisSubscription news(redis, {"news.sport"}, {"news.*", "old.?"});
    co_await news.subscribe();
    // Once by its name, and once by the pattern.
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "news.sport", "goal"), 2);
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "old.1", "x"), 1);
    const RedisMessage by_name = co_await news.next();
    EXPECT_EQ(by_name.pattern, "");
    EXPECT_EQ(by_name.channel, "news.sport");
    const RedisMessage by_pattern = co_await news.next();
    EXPECT_EQ(by_pattern.pattern, "news.*");
    EXPECT_EQ(by_pattern.channel, "news.sport");
    EXPECT_EQ(by_pattern.payload, "goal");
    EXPECT_EQ((co_await news.next()).pattern, "old.?");
  });
}

TEST_F(RedisSubscriptionTest, a_reader_that_waits_is_woken_and_can_be_stopped) {
  const Redis redis(options());
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    bool timed_out = false;
    try {
      co_await with_timeout(Milliseconds(50), orders.next());
    } catch (const TimedOut&) {
      timed_out = true;
    }
    EXPECT_TRUE(timed_out);
    // It is subscribed nevertheless, and can be awaited again.
    std::string payload;
    Scope scope;
    scope.spawn([](RedisSubscription& from, std::string& into) -> Task<> {
      const RedisMessage message = co_await from.next();
      into = message.payload;
    }(orders, payload));
    co_await until_subscribers(redis, "orders", 1);
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", "late"), 1);
    co_await scope.join();
    EXPECT_EQ(payload, "late");
  });
}

TEST_F(RedisSubscriptionTest, its_end_ends_the_connection) {
  const Redis redis(options());
  run([&]() -> Task<> {
    {
      RedisSubscription orders(redis, {"orders"});
      co_await orders.subscribe();
      co_await until_subscribers(redis, "orders", 1);
    }
    co_await until_subscribers(redis, "orders", 0);
  });
}

TEST_F(RedisSubscriptionTest, a_lost_connection_is_made_again_and_says_that_messages_are_missed) {
  const Redis redis(options());
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    co_await orders.subscribe();
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", "before"), 1);
    EXPECT_EQ(co_await redis.command<int>("CLIENT", "KILL", "TYPE", "pubsub"), 1);
    EXPECT_EQ((co_await orders.next()).payload, "before");
    EXPECT_TRUE((co_await orders.next()).missed);
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", "after"), 1);
    EXPECT_EQ((co_await orders.next()).payload, "after");
  });
}

// What a slow reader has not read stays in the kernel and in Redis; nothing is lost, and memory is bounded.
TEST_F(RedisSubscriptionTest, a_slow_reader_gets_all_messages) {
  const Redis redis(options());
  constexpr int count = 20'000;
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    co_await orders.subscribe();
    const std::string filler(100, '.');
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", std::to_string(i) + filler), 1);
    }
    for (int i = 0; i < count; ++i) {
      const RedisMessage message = co_await orders.next();
      if (message.payload == std::to_string(i) + filler) continue;
      ADD_FAILURE() << "message " << i << " is " << message.payload.substr(0, 20);
      break;
    }
  });
}

TEST_F(RedisSubscriptionTest, a_quiet_channel_is_checked) {
  RedisOptions checked = options();
  checked.ping = Milliseconds(20);
  const Redis redis(checked);
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    RedisSubscription news(redis, {}, {"news.*"});
    for (RedisSubscription* each : {&orders, &news}) {
      bool timed_out = false;
      try {
        co_await with_timeout(Milliseconds(150), each->next());
      } catch (const TimedOut&) {
        timed_out = true;
      }
      EXPECT_TRUE(timed_out);  // several checks have passed
    }
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "orders", "x"), 1);
    EXPECT_EQ((co_await orders.next()).payload, "x");
  });
}

TEST_F(RedisSubscriptionTest, a_redis_that_hangs_is_left_and_found_again) {
  RedisOptions checked = options();
  checked.ping = Milliseconds(50);
  checked.timeout = Milliseconds(200);
  const Redis redis(checked);
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    co_await orders.subscribe();
    server.signal(SIGSTOP);
    const auto begin = Clock::now();
    bool timed_out = false;
    try {
      co_await with_timeout(Milliseconds(600), orders.next());
    } catch (const TimedOut&) {
      timed_out = true;
    }
    EXPECT_TRUE(timed_out);
    EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(500));
    server.signal(SIGCONT);
    EXPECT_TRUE((co_await orders.next()).missed);
  });
}

TEST_F(RedisSubscriptionTest, what_redis_does_not_permit_is_an_error) {
  const Redis redis(options());
  run([&]() -> Task<> {
    co_await redis.command("ACL", "SETUSER", "reader", "on", ">secret", "resetchannels", "&open.*", "+@all");
  });
  RedisOptions limited = options();
  limited.username = "reader";
  limited.password = "secret";
  const auto refused = [this](const RedisOptions& with) {
    const Redis mine(with);
    return error_of(app, [&mine]() -> Task<> {
      RedisSubscription closed(mine, {"closed"});
      co_await closed.next();
    });
  };
  const auto no_permission = refused(limited);
  ASSERT_TRUE(no_permission);
  EXPECT_EQ(no_permission->fault, RedisFault::Refused);
  EXPECT_EQ(no_permission->code, "NOPERM");
  limited.password = "wrong";
  const auto wrong_password = refused(limited);
  ASSERT_TRUE(wrong_password);
  EXPECT_EQ(wrong_password->fault, RedisFault::Refused);
  EXPECT_EQ(wrong_password->code, "WRONGPASS");
  limited.password = "secret";
  const Redis mine(limited);
  run([&]() -> Task<> {
    RedisSubscription open(mine, {"open.1"});
    co_await open.subscribe();
    EXPECT_EQ(co_await redis.command<int>("PUBLISH", "open.1", "x"), 1);
    EXPECT_EQ((co_await open.next()).payload, "x");
  });
}

TEST_F(RedisSubscriptionTest, waits_for_a_redis_that_is_away) {
  const Redis redis(options());
  server.kill();
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    bool timed_out = false;
    try {
      co_await with_timeout(Milliseconds(100), orders.next());
    } catch (const TimedOut&) {
      timed_out = true;
    }
    EXPECT_TRUE(timed_out);
  });
}

TEST(RedisSubscriptionArguments, there_is_something_to_subscribe_to) {
  EXPECT_THROW(RedisSubscription(Redis(), {}), std::invalid_argument);
}

// --- Servers that are not Redis

class HostileSubscriptionTest : public RunningAppTest {
protected:
  HostileSubscriptionTest() { app.start(quiet()); }
  RedisOptions options() const {
    return {.unix_path = folder.path / "redis",
            .max_reply = 4096,
            .timeout = Milliseconds(200),
            .ping = Milliseconds(20),
            .retry = Milliseconds(10)};
  }
  // Whether a subscriber makes another connection when its first check is answered so.
  bool is_left(const std::string& answer) {
    const ScriptedServer server(options().unix_path, confirmed, answer);
    const Redis redis(options());
    const bool missed = on_loop(app, [&redis]() -> Task<bool> {
      RedisSubscription orders(redis, {"orders"});
      RedisMessage message;
      do message = co_await orders.next();
      while (!message.missed);
      co_return message.missed;
    });
    std::filesystem::remove(options().unix_path);
    return missed;
  }
  const std::string confirmed = "*3\r\n$9\r\nsubscribe\r\n$6\r\norders\r\n:1\r\n";
};

TEST_F(HostileSubscriptionTest, nonsense_loses_the_connection) {
  const std::vector<std::string> answers = {
      "nonsense\r\n",
      "+OK\r\n",
      ":1\r\n",
      "$-1\r\n",
      "$2\r\nab\r\n",
      "*-1\r\n",
      "*0\r\n",
      "*1\r\n$7\r\nmessage\r\n",
      "*2\r\n$7\r\nmessage\r\n$6\r\norders\r\n",
      "*3\r\n$11\r\nunsubscribe\r\n$6\r\norders\r\n$1\r\nx\r\n",
      "*3\r\n:1\r\n$6\r\norders\r\n$1\r\nx\r\n",
      "*3\r\n$7\r\nmessage\r\n:1\r\n$1\r\nx\r\n",
      "*3\r\n$7\r\nmessage\r\n$6\r\norders\r\n*1\r\n$1\r\nx\r\n",
      "*3\r\n$8\r\npmessage\r\n$6\r\norders\r\n$1\r\nx\r\n",
      "*4\r\n$7\r\nmessage\r\n$6\r\norders\r\n$1\r\nx\r\n$1\r\ny\r\n",
      "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$6\r\norders\r\n$-1\r\n",
      "*2147483647\r\n",
      "*5\r\n",
      "$999999999\r\n" + std::string(20'000, 'x'),
      "*3\r\n$7\r\nmessage\r\n$6\r\norders\r\n$5000\r\n" + std::string(5000, 'x') + "\r\n",
      "-ERR gone\r\n",
      "*3\r\n$7\r\nmess",  // half a message, and silence
      "",
  };
  for (const std::string& answer : answers) {
    SCOPED_TRACE(answer.substr(0, 40));
    EXPECT_TRUE(is_left(answer));
  }
}

// Of a pattern or a channel without a subscription.
TEST_F(HostileSubscriptionTest, messages_of_others_are_skipped) {
  const ScriptedServer server(options().unix_path, confirmed,
                              "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$6\r\norders\r\n$1\r\nx\r\n"
                              "*3\r\n$7\r\nmessage\r\n$5\r\nother\r\n$1\r\ny\r\n"
                              "*3\r\n$7\r\nmessage\r\n$6\r\norders\r\n$1\r\nz\r\n");
  const Redis redis(options());
  const std::string payload = on_loop(app, [&redis]() -> Task<std::string> {
    RedisSubscription orders(redis, {"orders"});
    const RedisMessage message = co_await orders.next();
    co_return message.payload;
  });
  EXPECT_EQ(payload, "z");
}

}  // namespace
}  // namespace tern::redis
