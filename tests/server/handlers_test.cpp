// Handlers that wait, compute elsewhere, or read the content as it comes.
#include "server/app_test.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

using Handlers = AppTest;

struct Series {
  double value = 0;
  int terms = 1000;
};

TEST_F(Handlers, a_blocking_handler_runs_on_another_thread_and_answers_as_any) {
  std::atomic<bool> elsewhere = false;
  std::thread::id loop;
  app.get("/sum/{n}", blocking([&](int n, Query<Series> series) {
            elsewhere = std::this_thread::get_id() != loop;
            return std::to_string(n + series->terms);
          }));
  loop = running().on_loop([] { return std::this_thread::get_id(); });
  EXPECT_EQ(client().ask("/sum/2?value=1").body, "1002");
  EXPECT_TRUE(elsewhere);
  EXPECT_EQ(client().ask("/sum/x?value=1").status, 404);
  EXPECT_EQ(client().ask("/sum/2?terms=x").status, 422);
}

TEST_F(Handlers, what_a_blocking_handler_throws_is_answered_as_any) {
  app.get("/", blocking([]() -> std::string { throw HttpError(Status::Conflict, "no"); }));
  EXPECT_EQ(client().ask("/").status, 409);
}

TEST_F(Handlers, a_full_pool_answers_503_with_retry_after) {
  settings.pool_threads = 1;
  settings.pool_queue = 1;
  Holder holder;
  app.get("/", holder.handler());
  Client first = client();
  first.get("/");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  Client second = client();
  second.get("/");
  ASSERT_TRUE(running().eventually([&] { return running().worker().exchanges_in_use() == 2; }));
  const Answer refused = client().ask("/");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("retry-after"), "1");
  holder.let_go();
  EXPECT_EQ(first.answer().body, "done");
  EXPECT_EQ(second.answer().body, "done");
}

TEST_F(Handlers, a_request_whose_client_has_gone_is_dropped_from_the_queue) {
  settings.pool_threads = 1;
  Holder holder;
  app.get("/", holder.handler());
  Client first = client();
  first.get("/");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  {
    Client second = client();
    second.get("/");
    ASSERT_TRUE(running().eventually([&] { return running().worker().exchanges_in_use() == 2; }));
    second.peer().reset();
  }
  ASSERT_TRUE(running().eventually([&] { return running().worker().exchanges_in_use() == 1; }));
  holder.let_go();
  EXPECT_EQ(first.answer().body, "done");
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(holder.begun(), 1);
}

TEST_F(Handlers, a_coroutine_can_sleep_and_offload) {
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    const auto compute = [] { return 6 * 7; };
    const int answer = co_await offload(compute);
    co_return std::to_string(answer);
  });
  EXPECT_EQ(client().ask("/").body, "42");
}

TEST_F(Handlers, a_handler_that_takes_too_long_is_answered_for_and_ends_by_itself) {
  std::atomic<int> ended = 0;
  app.get("/",
          [&]() -> Task<std::string> {
            try {
              co_await sleep_for(Seconds(3600));
            } catch (const Cancelled&) {
              ++ended;
              throw;
            }
            co_return "late";
          })
      .limits({.answer = Milliseconds(20)});
  Client client = this->client();
  const Answer answer = client.ask("/");
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(ended, 1);
}

// --- Content as it comes ---

TEST_F(Handlers, a_body_stream_begins_before_the_content_is_complete) {
  std::atomic<std::size_t> seen = 0;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    std::size_t total = 0;
    while (const auto piece = co_await body.next()) seen = total += piece->size();
    co_return std::to_string(total);
  });
  Client client = this->client();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  ASSERT_TRUE(running().eventually([&] { return seen == 5; }));
  client.send("6\r\n world\r\n0\r\n\r\n");
  EXPECT_EQ(client.answer().body, "11");
}

TEST_F(Handlers, a_large_upload_is_streamed_past_the_limit_for_whole_bodies) {
  app.post("/", [](BodyStream body) -> Task<std::string> {
    std::size_t total = 0;
    std::size_t wrong = 0;
    while (const auto piece = co_await body.next()) {
      for (const char c : *piece) wrong += c == static_cast<char>('a' + total++ % 26) ? 0U : 1U;
    }
    co_return std::to_string(total) + " " + std::to_string(wrong);
  });
  std::string content(30'000'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i % 26);
  Client client = this->client();
  client.post("/", content);
  EXPECT_EQ(client.answer().body, "30000000 0");
}

TEST_F(Handlers, a_slow_handler_slows_the_client_down) {
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    static_cast<void>(co_await body.next());
    co_await gate.pass();
    std::size_t rest = 0;
    while (const auto piece = co_await body.next()) rest += piece->size();
    co_return rest > 1'000'000 ? "all" : "too little";
  });
  Client client = this->client();
  std::thread sender([&] { client.post("/", std::string(50'000'000, 'x')); });
  ASSERT_TRUE(gate.await());
  const auto receives = running().counters().receives.value();
  for (int i = 0; i < 50; ++i) running().on_loop([] {});
  EXPECT_LE(running().counters().receives.value(), receives + 2);
  gate.open();
  EXPECT_EQ(client.answer().body, "all");
  sender.join();
}

TEST_F(Handlers, a_route_may_limit_a_body_stream) {
  app.post("/",
           [](BodyStream body) -> Task<std::string> {
             while (co_await body.next()) {
             }
             co_return "all";
           })
      .limits({.body = 10});
  Client client = this->client();
  client.post("/", "0123456789");
  EXPECT_EQ(client.answer().body, "all");
  client.post("/", "0123456789x");
  EXPECT_EQ(client.answer().status, 413);
}

TEST_F(Handlers, a_body_stream_whose_client_goes_ends_with_cancelled) {
  std::atomic<int> cancelled = 0;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    try {
      while (co_await body.next()) {
      }
    } catch (const Cancelled&) {
      ++cancelled;
      throw;
    }
    co_return "all";
  });
  for (int i = 0; i < 20; ++i) {
    Client client = this->client();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
    ASSERT_TRUE(running().eventually([&] { return running().worker().exchanges_in_use() == 1; }));
    client.peer().reset();
    ASSERT_TRUE(all_ended());
  }
  EXPECT_EQ(cancelled, 20);
}

TEST_F(Handlers, a_wait_for_content_can_be_given_up) {
  std::atomic<bool> timed_out = false;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    try {
      static_cast<void>(co_await with_timeout(Milliseconds(10), body.next()));
    } catch (const TimedOut&) {
      timed_out = true;
    }
    const auto piece = co_await body.next();
    co_return std::string(piece.value_or("nothing"));
  });
  Client client = this->client();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
  ASSERT_TRUE(running().eventually([&] { return timed_out.load(); }));
  client.send("late");
  EXPECT_EQ(client.answer().body, "late");
}

TEST_F(Handlers, middleware_can_give_up_a_handler_that_waits_for_its_content) {
  app.group("")
      .use([](Request&, Next next) -> Task<Response> { co_return co_await with_timeout(Milliseconds(10), next()); })
      .post("/", [](Body body) { return body; });
  Client client = this->client();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.answer().status, 503);
  EXPECT_TRUE(all_ended());
}

}  // namespace
}  // namespace tern::testing
