// The statistics of a client, and their figures.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/http/observer.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <map>
#include <span>
#include <string>
#include <thread>

namespace tern::redis {
namespace {

using ::testing::Contains;
using ::testing::Pair;

class RedisFiguresTest : public RealRedisTest {
protected:
  void SetUp() override {
    RealRedisTest::SetUp();
    if (!IsSkipped()) app.start(quiet());
  }
};

// By name and labels.
class FigureMap final : public http::FigureSink {
public:
  void counter(std::string_view name, std::string_view, double value, Labels labels) override {
    add(std::string(name) + "_total", value, labels);
  }
  void gauge(std::string_view name, std::string_view, double value, Labels labels) override {
    add(std::string(name), value, labels);
  }
  void histogram(std::string_view, std::string_view, std::span<const double>, std::span<const std::uint64_t>, double,
                 Labels) override {
    ADD_FAILURE();
  }
  std::map<std::string, int> values;

private:
  void add(std::string name, double value, Labels labels) {
    for (const http::FigureLabel& label : labels) name.append(" ").append(label.name).append("=").append(label.value);
    EXPECT_TRUE(values.emplace(name, static_cast<int>(value)).second) << name;
  }
};

TEST_F(RedisFiguresTest, commands_are_counted_by_their_outcome) {
  const Redis redis(options());
  EXPECT_EQ(redis.statistics().connections, 0U);
  run([&]() -> Task<> {
    co_await redis.command("SET", "key", "text");
    RedisTransaction both = redis.transaction();
    both.add("GET", "key").add("GET", "other");
    co_await std::move(both).run();
    bool refused = false;
    try {
      co_await redis.command("INCR", "key");
    } catch (const RedisError&) {
      refused = true;
    }
    EXPECT_TRUE(refused);
    bool timed_out = false;
    server.signal(SIGSTOP);
    try {
      co_await with_timeout(Milliseconds(10), redis.command<std::string>("GET", "key"));
    } catch (const TimedOut&) {
      timed_out = true;
    }
    EXPECT_TRUE(timed_out);
    EXPECT_EQ(redis.statistics().unanswered, 1U);  // it keeps its place
    EXPECT_GT(redis.statistics().queued_bytes, 0U);
    server.signal(SIGCONT);
    co_await redis.command("PING");
  });
  const RedisStatistics counts = redis.statistics();
  EXPECT_EQ(counts.connections, 1U);
  EXPECT_EQ(counts.unanswered, 0U);
  EXPECT_EQ(counts.queued_bytes, 0U);
  EXPECT_EQ(counts.commands, 5U);
  EXPECT_EQ(counts.errors, 1U);
  EXPECT_EQ(counts.cancelled, 1U);
  EXPECT_EQ(counts.reconnects, 0U);
  FigureMap sink;
  redis.report(sink, "shop");
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_connections client=shop", 1)));
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_commands_total client=shop outcome=ok", 3)));
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_commands_total client=shop outcome=error", 1)));
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_commands_total client=shop outcome=cancelled", 1)));
}

TEST_F(RedisFiguresTest, lost_connections_and_refused_commands_are_counted) {
  RedisOptions brief = options();
  brief.timeout = Milliseconds(500);
  const Redis redis(brief);
  run([&]() -> Task<> { co_await redis.command("PING"); });
  server.kill();
  const auto ping = [&redis]() -> Task<> { co_await redis.command("PING"); };
  while (redis.statistics().refused == 0) EXPECT_TRUE(error_of(app, ping));
  EXPECT_EQ(redis.statistics().connections, 0U);
  EXPECT_GE(redis.statistics().errors, 1U);
  server.start();
  ASSERT_TRUE(server.await());
  while (error_of(app, ping)) std::this_thread::yield();
  EXPECT_EQ(redis.statistics().connections, 1U);
  EXPECT_EQ(redis.statistics().reconnects, 1U);
  // What loops that have ended have counted remains.
  const std::uint64_t commands = redis.statistics().commands;
  app.stop();
  EXPECT_EQ(redis.statistics().commands, commands);
  EXPECT_EQ(redis.statistics().connections, 0U);
}

TEST_F(RedisFiguresTest, messages_of_subscriptions_are_counted) {
  const Redis redis(options());
  run([&]() -> Task<> {
    RedisSubscription orders(redis, {"orders"});
    co_await orders.subscribe();
    EXPECT_EQ(redis.statistics().subscriptions, 1U);
    for (int i = 0; i < 3; ++i) co_await redis.command("PUBLISH", "orders", i);
    co_await orders.next();
    while (redis.statistics().messages != 3) co_await redis.command("PING");
    EXPECT_EQ(redis.statistics().unread_messages, 2U);
    co_await orders.next();
    co_await orders.next();
    EXPECT_EQ(redis.statistics().unread_messages, 0U);
    co_await redis.command("CLIENT", "KILL", "TYPE", "pubsub");
    EXPECT_TRUE((co_await orders.next()).missed);
    EXPECT_EQ(redis.statistics().resubscriptions, 1U);
    EXPECT_EQ(redis.statistics().subscriptions, 1U);
    co_await redis.command("PUBLISH", "orders", "not read");
    while (redis.statistics().messages != 4) co_await redis.command("PING");
    EXPECT_EQ(redis.statistics().unread_messages, 1U);
  });
  const RedisStatistics counts = redis.statistics();
  EXPECT_EQ(counts.subscriptions, 0U);
  EXPECT_EQ(counts.unread_messages, 0U);  // given up with their subscription
  FigureMap sink;
  redis.report(sink, "shop");
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_subscriptions client=shop", 0)));
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_unread_messages client=shop", 0)));
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_messages_total client=shop", 4)));
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_resubscriptions_total client=shop", 1)));
}

TEST_F(RedisFiguresTest, a_connection_for_waiting_commands_has_figures_of_its_own) {
  const Redis redis(options());
  const RedisBlocking queue(redis, Seconds(30));
  run([&]() -> Task<> {
    co_await redis.command("RPUSH", "jobs", "first");
    co_await queue.command("BLPOP", "jobs", 30);
  });
  EXPECT_EQ(redis.statistics().commands, 1U);
  EXPECT_EQ(queue.statistics().commands, 1U);
  EXPECT_EQ(queue.statistics().connections, 1U);
  FigureMap sink;
  queue.report(sink, "queue");
  EXPECT_THAT(sink.values, Contains(Pair("tern_redis_commands_total client=queue outcome=ok", 1)));
}

}  // namespace
}  // namespace tern::redis
