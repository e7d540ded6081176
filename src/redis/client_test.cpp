// The client with a real Redis.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/redis.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RedisClientTest : public RealRedisTest {};

TEST_F(RedisClientTest, replies_become_the_requested_types) {
  app.start(quiet());
  const Redis redis(options());
  run([&redis]() -> Task<> {
    EXPECT_EQ(co_await redis.command<std::string>("SET", "text", "hello", "EX", 60), "OK");
    EXPECT_EQ(co_await redis.command<std::string>("GET", "text"), "hello");
    EXPECT_EQ(co_await redis.command<std::optional<std::string>>("GET", "missing"), std::nullopt);
    EXPECT_EQ(co_await redis.command<std::int64_t>("INCRBY", "number", -7), -7);
    EXPECT_EQ(co_await redis.command<std::optional<int>>("GET", "number"), -7);
    EXPECT_EQ(co_await redis.command<double>("INCRBYFLOAT", "real", 2.5), 2.5);
    EXPECT_FALSE(co_await redis.command<bool>("EXISTS", "missing"));
    const std::vector<std::string> list = {"a", "b", ""};
    EXPECT_EQ(co_await redis.command<int>("RPUSH", "list", list), 3);
    EXPECT_THAT(co_await redis.command<std::vector<std::string>>("LRANGE", "list", 0, -1), ElementsAre("a", "b", ""));
    EXPECT_EQ(co_await redis.command<int>("HSET", "hash", "one", 1, "two", 2), 2);
    const auto hash = co_await redis.command<std::map<std::string, int>>("HGETALL", "hash");
    EXPECT_EQ(hash, (std::map<std::string, int>{{"one", 1}, {"two", 2}}));
    using Pairs = std::vector<std::pair<std::string, int>>;
    EXPECT_EQ((co_await redis.command<Pairs>("HGETALL", "hash")).size(), 2U);
    EXPECT_EQ((co_await redis.command<std::set<std::string>>("HKEYS", "hash")).count("two"), 1U);
    co_await redis.command<void>("DEL", "list");
    const RedisReply reply = co_await redis.command("LRANGE", "list", 0, -1);
    EXPECT_EQ(reply.kind, RedisReply::Kind::List);
    EXPECT_TRUE(reply.items.empty());
  });
}

TEST_F(RedisClientTest, words_are_any_bytes_in_any_number) {
  app.start(quiet());
  const Redis redis(options());
  run([&redis]() -> Task<> {
    const std::string bytes("\0\r\n$5\r\n\xff", 9);
    std::vector<std::string> words;
    for (int i = 0; i < 5000; ++i) words.push_back(std::to_string(i) + bytes);
    EXPECT_EQ(co_await redis.command<int>("SADD", bytes, words), 5000);
    const auto members = co_await redis.command<std::set<std::string>>("SMEMBERS", bytes);
    EXPECT_EQ(members, std::set<std::string>(words.begin(), words.end()));
  });
}

TEST_F(RedisClientTest, errors_of_redis_have_a_code) {
  app.start(quiet());
  const Redis redis(options());
  run([&redis]() -> Task<> { co_await redis.command("SET", "text", "hello"); });
  const auto wrong = error_of(app, [&redis]() -> Task<> { co_await redis.command<void>("LPUSH", "text", "secret"); });
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->fault, RedisFault::Refused);
  EXPECT_EQ(wrong->code, "WRONGTYPE");
  EXPECT_THAT(wrong->what, HasSubstr(": LPUSH: WRONGTYPE"));
  EXPECT_THAT(wrong->what, Not(HasSubstr("secret")));
  const auto type = error_of(app, [&redis]() -> Task<> { co_await redis.command<int>("GET", "text"); });
  ASSERT_TRUE(type);
  EXPECT_EQ(type->fault, RedisFault::Type);
  EXPECT_THAT(type->what, HasSubstr("GET: the reply is a string, not an integer"));
  const auto nil = error_of(app, [&redis]() -> Task<> { co_await redis.command<std::string>("GET", "missing"); });
  ASSERT_TRUE(nil);
  EXPECT_THAT(nil->what, HasSubstr("the reply is nil, not a string"));
  const auto narrow = error_of(app, [&redis]() -> Task<> { co_await redis.command<std::int8_t>("INCRBY", "n", 300); });
  EXPECT_TRUE(narrow);
}

TEST_F(RedisClientTest, commands_that_occupy_the_connection_are_refused) {
  const Redis redis(options());
  for (const std::string_view name : {"subscribe", "BLPOP", "Multi", "WATCH", "SELECT", "AUTH", "HELLO", "MONITOR"}) {
    EXPECT_THROW(static_cast<void>(redis.command(name, "x")), std::invalid_argument) << name;
  }
  EXPECT_THROW(static_cast<void>(redis.command("CLIENT", "reply", "OFF")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(redis.command("XREAD", "COUNT", 2, "block", 0, "STREAMS", "s", "$")),
               std::invalid_argument);
  EXPECT_NO_THROW(static_cast<void>(redis.command("XREAD", "COUNT", 2, "STREAMS", "block", "0")));
  EXPECT_NO_THROW(static_cast<void>(redis.command("CLIENT", "ID")));
  EXPECT_THROW(static_cast<void>(redis.command("")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(redis.command(std::vector<std::string>())), std::invalid_argument);
}

TEST_F(RedisClientTest, a_script_is_sent_when_redis_does_not_have_it) {
  app.start(quiet());
  const Redis redis(options());
  const RedisScript script("return {KEYS[1], ARGV[1], ARGV[2]}");
  EXPECT_EQ(script.digest().size(), 40U);
  run([&]() -> Task<> {
    for (int i = 0; i < 3; ++i) {
      auto values = redis.eval<std::vector<std::string>>(script, RedisKeys("key"), "one", 2);
      EXPECT_THAT(co_await std::move(values), ElementsAre("key", "one", "2"));
      if (i == 1) co_await redis.command("SCRIPT", "FLUSH");
    }
    EXPECT_THAT(co_await redis.command<std::vector<int>>("SCRIPT", "EXISTS", script.digest()), ElementsAre(1));
  });
  const RedisScript wrong("return redis.call('LPUSH', KEYS[1])");
  EXPECT_TRUE(error_of(app, [&]() -> Task<> { co_await redis.eval(wrong, RedisKeys("key")); }));
}

TEST_F(RedisClientTest, a_transaction_is_executed_as_one) {
  app.start(quiet());
  const Redis redis(options());
  run([&redis]() -> Task<> {
    RedisTransaction transfer = redis.transaction();
    transfer.add("DECRBY", "from", 10).add("INCRBY", "to", 10);
    EXPECT_THAT(co_await std::move(transfer).run<std::vector<int>>(), ElementsAre(-10, 10));
    RedisTransaction mixed = redis.transaction();
    mixed.add("SET", "text", "a").add("LPUSH", "text", "b").add("APPEND", "text", "c");
    const auto replies = co_await std::move(mixed).run();
    EXPECT_EQ(replies.size(), 3U);
    EXPECT_EQ(replies.at(1).kind, RedisReply::Kind::Error);
    EXPECT_EQ(co_await redis.command<std::string>("GET", "text"), "ac");
  });
  const auto refused = error_of(app, [&redis]() -> Task<> {
    RedisTransaction transaction = redis.transaction();
    transaction.add("SET", "text", "z").add("NOSUCHCOMMAND");
    co_await std::move(transaction).run();
  });
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->what, HasSubstr("NOSUCHCOMMAND"));  // the reason, and not EXECABORT
  EXPECT_EQ(run([&redis]() -> Task<std::string> { co_return co_await redis.command<std::string>("GET", "text"); }),
            "ac");
}

TEST_F(RedisClientTest, loops_use_it_at_the_same_time) {
  app.state(Redis(options()));
  app.get("/count", [](State<Redis> redis) -> Task<std::string> {
    std::set<int> seen;
    Scope scope;
    for (int i = 0; i < 100; ++i) {
      scope.spawn([](const Redis& used, std::set<int>& into) -> Task<> {
        into.insert(co_await used.command<int>("INCR", "count"));
      }(*redis, seen));
    }
    co_await scope.join();
    co_return std::to_string(seen.size());
  });
  Options serving = quiet();
  serving.threads = 4;
  app.start(serving);
  std::atomic<int> complete = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&] { complete += get(app.port(), "/count").ends_with("\r\n\r\n100") ? 1 : 0; });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(complete.load(), 20);
  const Redis redis(options());
  EXPECT_EQ(run([&redis]() -> Task<int> { co_return co_await redis.command<int>("GET", "count"); }), 2000);
}

TEST_F(RedisClientTest, a_stopped_coroutine_does_not_wait) {
  app.start(quiet());
  const Redis redis(options());
  EXPECT_TRUE(throws<TimedOut>(app, [&redis]() -> Task<> {
    co_await redis.command("CLIENT", "PAUSE", 200, "WRITE");
    co_await with_timeout(Milliseconds(1), redis.command<void>("SET", "late", "1"));
  }));
  // Its reply is dropped, and not taken for that of the next command.
  EXPECT_EQ(run([&redis]() -> Task<std::string> { co_return co_await redis.command<std::string>("ECHO", "next"); }),
            "next");
}

TEST_F(RedisClientTest, a_killed_redis_is_an_error_until_it_is_back) {
  app.start(quiet());
  const Redis redis(options());
  const auto ping = [&redis]() -> Task<> { co_await redis.command("PING"); };
  run(ping);
  server.kill();
  const auto lost = error_of(app, ping);
  ASSERT_TRUE(lost);
  EXPECT_THAT(lost->what, HasSubstr(server.socket));
  const auto away = error_of(app, ping);
  ASSERT_TRUE(away);
  EXPECT_EQ(away->fault, RedisFault::Unavailable);
  server.start();
  ASSERT_TRUE(server.await());
  while (error_of(app, ping)) std::this_thread::yield();
  EXPECT_FALSE(error_of(app, ping));
}

TEST_F(RedisClientTest, a_redis_that_hangs_is_lost_after_the_timeout) {
  app.start(quiet());
  RedisOptions impatient = options();
  impatient.timeout = Milliseconds(50);
  const Redis redis(impatient);
  const auto ping = [&redis]() -> Task<> { co_await redis.command("PING"); };
  while (error_of(app, ping)) std::this_thread::yield();
  server.signal(SIGSTOP);
  const auto late = error_of(app, ping);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->fault, RedisFault::TimedOut);
  const auto away = error_of(app, ping);
  ASSERT_TRUE(away);
  EXPECT_EQ(away->fault, RedisFault::Unavailable);
  server.signal(SIGCONT);
  while (error_of(app, ping)) std::this_thread::yield();
}

TEST_F(RedisClientTest, too_many_waiting_commands_are_refused) {
  app.start(quiet());
  RedisOptions small = options();
  small.max_queued = 1000;
  const Redis redis(small);
  const auto large = error_of(app, [&redis]() -> Task<> { co_await redis.command("ECHO", std::string(1000, 'x')); });
  ASSERT_TRUE(large);
  EXPECT_EQ(large->fault, RedisFault::Overloaded);
  run([&redis]() -> Task<> {
    for (int i = 0; i < 100; ++i) co_await redis.command("PING");  // what was answered is free again
  });
}

TEST_F(RedisClientTest, databases_are_separate) {
  app.start(quiet());
  RedisOptions other = options();
  other.database = 3;
  const Redis redis(options());
  const Redis third(other);
  run([&]() -> Task<> {
    co_await redis.command("SET", "key", "first");
    EXPECT_FALSE(co_await third.command<bool>("EXISTS", "key"));
  });
  other.database = 99;
  const Redis none(other);
  const auto error = error_of(app, [&none]() -> Task<> { co_await none.command("PING"); });
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what, HasSubstr("out of range"));
}

TEST_F(RedisClientTest, users_authenticate) {
  app.start(quiet());
  const Redis admin(options());
  run([&admin]() -> Task<> {
    co_await admin.command("ACL", "SETUSER", "ann", "on", ">secret", "~*", "+get", "+select");
  });
  RedisOptions as_ann = options();
  as_ann.username = "ann";
  as_ann.password = "secret";
  const Redis ann(as_ann);  // without permission for PING
  EXPECT_EQ(run([&ann]() -> Task<std::optional<std::string>> {
              co_return co_await ann.command<std::optional<std::string>>("GET", "key");
            }),
            std::nullopt);
  const auto denied = error_of(app, [&ann]() -> Task<> { co_await ann.command("SET", "key", "1"); });
  ASSERT_TRUE(denied);
  EXPECT_EQ(denied->code, "NOPERM");
  as_ann.password = "wrong";
  const Redis stranger(as_ann);
  const auto error = error_of(app, [&stranger]() -> Task<> { co_await stranger.command("GET", "key"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->fault, RedisFault::Unavailable);
  EXPECT_THAT(error->what, HasSubstr("WRONGPASS"));
}

TEST_F(RedisClientTest, an_app_starts_again_with_the_same_state) {
  app.state(Redis(options()));
  app.get("/ping",
          [](State<Redis> redis) -> Task<std::string> { co_return co_await redis->command<std::string>("PING"); });
  for (int i = 0; i < 2; ++i) {
    app.start(quiet());
    EXPECT_THAT(get(app.port(), "/ping"), HasSubstr("PONG"));
    app.stop();
  }
}

TEST_F(RedisClientTest, connections_end_with_the_last_copy) {
  const RedisOptions own = options();
  app.get("/short", [&own]() -> Task<std::string> {
    const Redis redis(own);
    co_return co_await redis.command<std::string>("PING");
  });
  app.start(quiet());
  const Redis redis(own);
  const auto connections = [&redis]() -> Task<std::size_t> {
    const auto list = co_await redis.command<std::string>("CLIENT", "LIST");
    co_return static_cast<std::size_t>(std::ranges::count(list, '\n'));
  };
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(get(app.port(), "/short"), HasSubstr("PONG"));
    const Redis another(own);
    run([&another]() -> Task<> { co_await another.command("PING"); });
  }
  while (run(connections) != 1) std::this_thread::yield();
}

TEST_F(RedisClientTest, a_hook_at_the_end_uses_it) {
  const Redis redis(options());
  std::string seen;
  app.on_stop([&]() -> Task<> { seen = co_await redis.command<std::string>("ECHO", "the end"); });
  app.start(quiet());
  app.stop();
  EXPECT_EQ(seen, "the end");
}

}  // namespace
}  // namespace tern::redis
