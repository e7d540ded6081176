#include "coro/manual_executor.hpp"
#include "web/places.hpp"
#include "web/serving_testing.hpp"

#include <tern/http/writer.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using coro::ManualExecutor;
using coro::StartedTask;

class ConcurrencyLimitTest : public ::testing::Test {
protected:
  void limit(const ConcurrencyLimitOptions& options) {
    app.get("/",
            [this]() -> Task<std::string> {
              ++running;
              co_await done.wait();
              --running;
              co_return "hello";
            })
        .use(ConcurrencyLimit(options));
  }
  ServedRequest& send() {
    requests.push_back(std::make_unique<ServedRequest>(app));
    executor.run();
    return *requests.back();
  }
  // Lets the handlers end that wait now.
  void finish_running() {
    done.set();
    done.reset();
    executor.run();
  }

  ManualExecutor executor;
  App app;
  Event done;
  int running = 0;
  std::vector<std::unique_ptr<ServedRequest>> requests;
};

TEST_F(ConcurrencyLimitTest, refuses_beyond_the_limit_without_a_queue) {
  limit({.limit = 2, .retry_after = Seconds(7)});
  const ServedRequest& first = send();
  send();
  ServedRequest& refused = send();
  ASSERT_TRUE(refused.ended());
  EXPECT_EQ(refused.response().status(), Status::ServiceUnavailable);
  EXPECT_EQ(refused.field("retry-after"), "7");
  EXPECT_EQ(running, 2);
  finish_running();
  EXPECT_TRUE(first.ended());
  send();
  EXPECT_EQ(running, 1);
  finish_running();
}

TEST_F(ConcurrencyLimitTest, serves_the_queue_in_its_order) {
  limit({.limit = 1, .queue = 2});
  ServedRequest& first = send();
  ServedRequest& second_one = send();
  ServedRequest& third = send();
  ServedRequest& refused = send();
  EXPECT_EQ(refused.response().status(), Status::ServiceUnavailable);
  EXPECT_EQ(running, 1);
  finish_running();
  EXPECT_TRUE(first.ended());
  EXPECT_FALSE(second_one.ended());
  EXPECT_EQ(running, 1);
  finish_running();
  EXPECT_TRUE(second_one.ended());
  EXPECT_FALSE(third.ended());
  finish_running();
  EXPECT_EQ(third.response().status(), Status::Ok);
}

TEST_F(ConcurrencyLimitTest, a_wait_ends_with_its_time) {
  limit({.limit = 1, .queue = 1, .max_wait = Milliseconds(500)});
  send();
  ServedRequest& waiting = send();
  executor.advance(499);
  EXPECT_FALSE(waiting.ended());
  executor.advance(100);
  ASSERT_TRUE(waiting.ended());
  EXPECT_EQ(waiting.response().status(), Status::ServiceUnavailable);
  ServedRequest& next = send();  // its room in the queue is free again
  EXPECT_FALSE(next.ended());
  finish_running();
  EXPECT_EQ(running, 1);
  finish_running();
  EXPECT_EQ(next.response().status(), Status::Ok);
}

TEST_F(ConcurrencyLimitTest, a_client_that_leaves_gives_up_its_place_in_the_queue) {
  limit({.limit = 1, .queue = 1});
  send();
  ServedRequest& waiting = send();
  waiting.disconnect();
  executor.run();
  ServedRequest& next = send();
  EXPECT_FALSE(next.ended());
  finish_running();
  EXPECT_EQ(running, 1) << "that of the one that left is not running";
  finish_running();
  EXPECT_EQ(next.response().status(), Status::Ok);
}

TEST_F(ConcurrencyLimitTest, a_place_passes_on_when_its_new_owner_is_destroyed_first) {
  limit({.limit = 1, .queue = 2});
  send();
  requests.push_back(std::make_unique<ServedRequest>(app));
  ServedRequest& destroyed = *requests.back();
  ServedRequest& next = send();
  done.set();
  done.reset();
  while (running != 0) executor.step();
  destroyed.destroy();
  executor.run();
  EXPECT_EQ(running, 1);
  finish_running();
  EXPECT_EQ(next.response().status(), Status::Ok);
}

TEST_F(ConcurrencyLimitTest, a_stream_keeps_its_place_to_its_end) {
  app.get("/", [] { return Response::stream(media::text, [](Writer&) -> Task<> { co_return; }); })
      .use(ConcurrencyLimit({.limit = 1}));
  ServedRequest& first = send();
  ASSERT_TRUE(first.ended());
  EXPECT_EQ(send().response().status(), Status::ServiceUnavailable);
  first.response() = Response();  // its producer ends, as after a disconnect
  EXPECT_EQ(send().response().status(), Status::Ok);
}

TEST_F(ConcurrencyLimitTest, exceptions_give_the_place_back) {
  app.get("/", []() -> Task<std::string> { throw HttpError(Status::Conflict); }).use(ConcurrencyLimit({.limit = 1}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send().response().status(), Status::Conflict);
}

TEST(ConcurrencyLimit, refuses_options_that_cannot_hold) {
  EXPECT_THROW(ConcurrencyLimit({.limit = 0}), SetupError);
  EXPECT_THROW(ConcurrencyLimit({.max_wait = Milliseconds(-1)}), SetupError);
  EXPECT_THROW(ConcurrencyLimit({.retry_after = Seconds(0)}), SetupError);
}

// Each thread has an executor; places pass between them.
TEST(Places, are_never_more_than_the_limit_on_several_loops) {
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  constexpr int limit = 2;
  Places places(limit, 100);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> served = 0;
  const auto work = [&] {
    ManualExecutor executor;
    const auto take_often = [&]() -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        const Place place = co_await places.take();
        EXPECT_TRUE(place);
        const int now = ++inside;
        if (now > most) most = now;
        co_await yield();
        --inside;
        ++served;
      }
    };
    StartedTask<> task(take_often());
    while (!task.ended()) {
      if (executor.run() == 0) std::this_thread::yield();
      executor.advance(1);
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work);
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(served.load(), threads * rounds);
  EXPECT_LE(most.load(), limit);
  for (int i = 0; i < limit; ++i) EXPECT_TRUE(places.try_take());
}

}  // namespace
}  // namespace tern::web
