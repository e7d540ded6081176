// The client without a Redis, and with servers that are none.
#include "redis/client_testing.hpp"

#include <tern/redis.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::HasSubstr;

constexpr const char* pong = "+PONG\r\n";

class HostileRedisTest : public RunningAppTest {
protected:
  HostileRedisTest() { app.start(quiet()); }
  RedisOptions options() const {
    return {.unix_path = folder.path / "redis", .max_reply = 4096, .timeout = Milliseconds(200), .retry = Seconds(60)};
  }
  // The error of a GET that is answered by this.
  std::optional<Failure> answered(const std::string& greeting, const std::string& rest) {
    const ScriptedServer server(options().unix_path, greeting, rest);
    const Redis redis(options());
    const auto error = error_of(app, [&redis]() -> Task<> { co_await redis.command("GET", "key"); });
    std::filesystem::remove(options().unix_path);
    end_connections();
    return error;
  }
  // The client ends with the app's loops.
  void end_connections() {
    app.stop();
    app.start(quiet());
  }
};

TEST_F(HostileRedisTest, options_that_cannot_be_meant_are_refused) {
  EXPECT_THROW(Redis({.port = 0}), std::invalid_argument);
  EXPECT_THROW(Redis({.username = "ann"}), std::invalid_argument);
  EXPECT_THROW(Redis({.max_reply = 0}), std::invalid_argument);
}

TEST_F(HostileRedisTest, a_missing_server_is_an_error_at_once) {
  const Redis redis(options());
  for (int i = 0; i < 3; ++i) {
    const auto error = error_of(app, [&redis]() -> Task<> { co_await redis.command("PING"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault, RedisFault::Unavailable);
    EXPECT_THAT(error->what, HasSubstr("No such file or directory"));
  }
  end_connections();
}

TEST_F(HostileRedisTest, a_name_that_does_not_resolve_is_an_error) {
  const Redis redis({.host = "nowhere.invalid"});
  const auto error = error_of(app, [&redis]() -> Task<> { co_await redis.command("PING"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->fault, RedisFault::Unavailable);
  end_connections();
}

TEST_F(HostileRedisTest, what_is_not_redis_is_an_error_of_connecting) {
  for (const char* greeting :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "-LOADING Redis is loading\r\n", "", "+", "*-2\r\n"}) {
    SCOPED_TRACE(greeting);
    const auto error = answered(greeting, "");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault, RedisFault::Unavailable);
  }
}

TEST_F(HostileRedisTest, nonsense_loses_the_connection) {
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "*1\r\n";
  const std::vector<std::string> replies = {
      "nonsense\r\n", "$-7\r\nx", ":99999999999999999999999\r\n", "*2\r\n$1\r\na\r\n!", std::string(10'000, '\0'), deep,
  };
  for (const std::string& reply : replies) {
    SCOPED_TRACE(reply.substr(0, 30));
    const auto error = answered(pong, reply);
    EXPECT_TRUE(error);
  }
}

// Which hiredis 1.x parses.
TEST_F(HostileRedisTest, types_of_resp3_lose_the_connection) {
  for (const char* reply : {"%1\r\n+a\r\n+b\r\n", "~1\r\n:1\r\n", ">1\r\n+a\r\n", "_\r\n", "#t\r\n", ",1.5\r\n",
                            "(123\r\n", "=5\r\ntxt:a\r\n", "*1\r\n%0\r\n", "*1\r\n#f\r\n", "*1\r\n,1\r\n"}) {
    SCOPED_TRACE(reply);
    const auto error = answered(pong, reply);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault, RedisFault::Lost) << error->what;
  }
}

TEST_F(HostileRedisTest, lists_are_nested_up_to_eight_deep) {
  const auto nested = [](std::size_t depth) {
    std::string reply;
    for (std::size_t i = 0; i < depth; ++i) reply += "*1\r\n";
    return reply + ":1\r\n";
  };
  EXPECT_FALSE(answered(pong, nested(8)));
  EXPECT_TRUE(answered(pong, nested(9)));
}

TEST_F(HostileRedisTest, replies_are_bounded) {
  const std::vector<std::string> replies = {
      "$999999999\r\n" + std::string(20'000, 'x'),
      "*2147483647\r\n",
      "*1000\r\n",
      "*9999999999\r\n",
      "$4096\r\n" + std::string(4096, 'x') + "\r\n",
      "+" + std::string(20'000, 'x'),
  };
  for (const std::string& reply : replies) {
    SCOPED_TRACE(reply.substr(0, 20));
    const auto error = answered(pong, reply);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault, RedisFault::Lost) << error->what;
  }
  EXPECT_THAT(answered(pong, "*1000\r\n")->what, HasSubstr("larger than max_reply"));
}

TEST_F(HostileRedisTest, unsolicited_replies_lose_the_connection) {
  const ScriptedServer server(options().unix_path, "+PONG\r\n", "$1\r\na\r\n$1\r\nb\r\n*1\r\n:1\r\n");
  const Redis redis(options());
  for (int i = 0; i < 3; ++i) {  // each on a new connection
    EXPECT_EQ(
        on_loop(app, [&redis]() -> Task<std::string> { co_return co_await redis.command<std::string>("GET", "key"); }),
        "a");
  }
  end_connections();
}

TEST_F(HostileRedisTest, silence_and_half_a_reply_end_with_the_timeout) {
  for (const char* reply : {"", "$5\r\nhe", "*2\r\n:1\r\n"}) {
    SCOPED_TRACE(reply);
    const auto error = answered(pong, reply);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->fault, RedisFault::TimedOut);
  }
}

TEST(RedisInTests, the_test_client_waits_for_sockets) {
  const base::TestFolder folder;
  const std::string path = folder.path / "socket";
  const ScriptedServer server(path, "+PONG\r\n", "+PONG\r\n");
  App app;
  app.state(Redis({.unix_path = path}));
  app.get("/", [](State<Redis> redis) -> Task<std::string> { co_return co_await redis->command<std::string>("PING"); });
  testing::Client client(app);
  EXPECT_EQ(client.get("/").body, "PONG");
}

}  // namespace
}  // namespace tern::redis
