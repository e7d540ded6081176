// Every allocation of a loop with a RedisBus fails in turn. The session with Redis may be lost, and is made again.
#include "redis/redis_process.hpp"
#include "server/failing_allocator.hpp"

#include <tern/redis.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace tern::testing {
namespace {

// Publishing and stop.
void publish_and_stop(const std::string& socket, std::int64_t n) {
  App app;
  app.bus(RedisBus({.unix_path = socket, .ping = Milliseconds(5), .retry = Milliseconds(1)}));
  app.on_start([] { allocations_of_this_thread_may_fail(); });
  Options options;
  options.port = 0;
  options.threads = 1;
  options.logging.level = LogLevel::Off;
  app.start(options);
  const auto publish = [&app] { return app.publish("topic", std::string(5000, 'x')); };
  while (publish() != PublishStatus::Sent) std::this_thread::yield();
  fail_allocation(n);
  for (int i = 0; i < 40; ++i) publish();
  while (publish() != PublishStatus::Sent) std::this_thread::yield();  // joined, or joined again
  app.stop();
}

// Commands of one loop; each has a reply or an exception.
void command_and_stop(const std::string& socket, std::int64_t n) {
  App app;
  const Redis redis({.unix_path = socket, .retry = Milliseconds(1)});
  std::atomic<bool> done = false;
  const auto work = [&]() -> Task<> {
    allocations_of_this_thread_may_fail();
    fail_allocation(n);
    for (int i = 0; i < 10; ++i) {
      try {
        co_await redis.command<std::int64_t>("INCR", "count");
        co_await redis.command<std::vector<std::string>>("CONFIG", "GET", "maxmem*");
      } catch (const RedisError&) {
      } catch (const std::bad_alloc&) {
      }
    }
    while (true) {  // ready, or ready again
      try {
        co_await redis.command("PING");
        break;
      } catch (const std::exception&) {
      }
      co_await yield();
    }
    done = true;
    done.notify_one();
  };
  Options options;
  options.port = 0;
  options.threads = 1;
  options.logging.level = LogLevel::Off;
  app.start(options);
  app.spawn(work);
  done.wait(false);
  app.stop();
}

TEST(AllocationSweepRedis, commands_have_an_end_and_the_client_goes_on) {
  RedisProcess redis;
  if (!redis.await()) GTEST_SKIP() << "redis-server is not installed";
  bool failed = true;
  std::int64_t n = 1;
  for (; failed && n < 400; ++n) {
    SCOPED_TRACE(n);
    command_and_stop(redis.socket, n);
    failed = stop_failing();
  }
  EXPECT_FALSE(failed) << "the commands do not come to their end";
  EXPECT_GT(n, 20);
}

TEST(AllocationSweepRedis, a_lost_session_is_made_again) {
  RedisProcess redis;
  if (!redis.await()) GTEST_SKIP() << "redis-server is not installed";
  bool failed = true;
  std::int64_t n = 1;
  for (; failed && n < 400; ++n) {
    SCOPED_TRACE(n);
    publish_and_stop(redis.socket, n);
    failed = stop_failing();
  }
  EXPECT_FALSE(failed) << "the loop does not come to its end";
  EXPECT_GT(n, 2);
}

}  // namespace
}  // namespace tern::testing
