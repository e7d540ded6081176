// Commands as steps of a request that has a trace.
#include "redis/client_testing.hpp"

#include <tern/async.hpp>
#include <tern/coro/context.hpp>
#include <tern/redis.hpp>

#include <gmock/gmock.h>

#include <signal.h>
#include <string>
#include <vector>

namespace tern::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// "name key=value …", and "!" with what has failed.
class CommandLines final : public coro::Context {
public:
  void record(const coro::Step& step) noexcept override {
    std::string line(step.name);
    for (const coro::StepValue& value : step.values) line.append(" ").append(value.name).append("=").append(value.text);
    if (!step.fault.empty()) line.append(" !").append(step.fault);
    EXPECT_GT(step.nanoseconds, 0U);
    lines.push_back(line);
  }
  base::Box<coro::Context> fork() override { return {}; }

  std::vector<std::string> lines;
};

class RedisTraceTest : public RealRedisTest {
protected:
  void SetUp() override {
    RealRedisTest::SetUp();
    if (!IsSkipped()) app.start(quiet());
  }
  // What `work()` has recorded.
  template <class F>
  std::vector<std::string> steps(F work) {
    CommandLines context;
    run([&]() -> Task<> {
      const coro::ContextScope scope(&context);
      co_await work();
    });
    return context.lines;
  }
};

TEST_F(RedisTraceTest, commands_are_steps_without_their_words) {
  const Redis redis(options());
  EXPECT_THAT(
      steps([&]() -> Task<> {
        co_await redis.command("SET", "key", "secret");
        co_await redis.command("get", "key");
        RedisTransaction both = redis.transaction();
        both.add("GET", "key").add("GET", "other");
        co_await std::move(both).run();
      }),
      ElementsAre("SET db.system.name=redis db.operation.name=SET", "get db.system.name=redis db.operation.name=get",
                  "MULTI db.system.name=redis db.operation.name=MULTI"));
}

TEST_F(RedisTraceTest, errors_have_their_code) {
  const Redis redis(options());
  const auto lines = steps([&]() -> Task<> {
    co_await redis.command("LPUSH", "list", "a");
    try {
      co_await redis.command("INCR", "list");
      ADD_FAILURE();
    } catch (const RedisError&) {
    }
  });
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1],
              StartsWith("INCR db.system.name=redis db.operation.name=INCR db.response.status_code=WRONGTYPE !"));
}

TEST_F(RedisTraceTest, commands_that_are_stopped_are_steps_that_failed) {
  const RedisBlocking queue(Redis(options()), Seconds(30));
  const auto lines = steps([&]() -> Task<> {
    try {
      co_await with_timeout(Milliseconds(20), queue.command<RedisReply>("BLPOP", "jobs", 30));
      ADD_FAILURE();
    } catch (const TimedOut&) {
    }
  });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], StartsWith("BLPOP db.system.name=redis db.operation.name=BLPOP !"));
}

TEST_F(RedisTraceTest, the_client_connects_without_the_context_of_a_request) {
  const Redis redis(options());
  EXPECT_THAT(steps([&]() -> Task<> { co_await redis.command("PING"); }),
              ElementsAre("PING db.system.name=redis db.operation.name=PING"));
  CommandLines context;
  run([&]() -> Task<> { co_await redis.command("PING"); });
  EXPECT_THAT(context.lines, IsEmpty());
}

}  // namespace
}  // namespace tern::redis
