// Handlers that wait, offload, stream the content, or take too long.
#include "server/app_test.hpp"
#include "transports/transport_test.hpp"

#include <atomic>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

using Handlers = TransportTest;
INSTANTIATE_TEST_SUITE_P(Over, Handlers, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

struct Series {
  double value = 0;
  int terms = 1000;
};

TEST_P(Handlers, a_blocking_handler_runs_on_another_thread_and_answers_as_any) {
  std::atomic<bool> elsewhere = false;
  std::thread::id loop;
  app.get("/sum/{n}", blocking([&](int n, Query<Series> series) {
            elsewhere = std::this_thread::get_id() != loop;
            return std::to_string(n + series->terms);
          }));
  loop = running().on_loop([] { return std::this_thread::get_id(); });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/sum/2?value=1").content, "1002");
  EXPECT_TRUE(elsewhere);
  EXPECT_EQ(client.answer_of("/sum/x?value=1").status, 404);
  EXPECT_EQ(client.answer_of("/sum/2?terms=x").status, 422);
}

TEST_P(Handlers, what_a_blocking_handler_throws_is_answered_as_any) {
  app.get("/", blocking([]() -> std::string { throw HttpError(Status::Conflict, "no"); }));
  EXPECT_EQ(make_client().answer_of("/").status, 409);
}

TEST_P(Handlers, a_full_pool_answers_503_with_retry_after) {
  settings.pool_threads = 1;
  settings.pool_queue = 1;
  Holder holder;
  app.get("/", holder.handler());
  TransportClient first = make_client();
  first.get("/");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  TransportClient second = make_client();
  second.get("/");
  ASSERT_TRUE(in_use(2));
  TransportClient third = make_client();
  const ClientResponse& refused = third.answer_of("/");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("retry-after"), "1");
  holder.let_go();
  EXPECT_EQ(first.answer().content, "done");
  EXPECT_EQ(second.answer().content, "done");
}

TEST_P(Handlers, a_request_whose_client_has_gone_is_dropped_from_the_queue) {
  settings.pool_threads = 1;
  Holder holder;
  app.get("/", holder.handler());
  TransportClient first = make_client();
  first.get("/");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    TransportClient second = make_client();
    second.get("/");
    ASSERT_TRUE(in_use(2));
    go(second, how);
    ASSERT_TRUE(in_use(1));
  }
  holder.let_go();
  EXPECT_EQ(first.answer().content, "done");
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(holder.begun(), 1);
}

TEST_P(Handlers, a_coroutine_can_sleep_and_offload) {
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    const auto compute = [] { return 6 * 7; };
    const int answer = co_await offload(compute);
    co_return std::to_string(answer);
  });
  EXPECT_EQ(make_client().answer_of("/").content, "42");
}

TEST_P(Handlers, a_handler_that_takes_too_long_is_answered_for_and_ends_by_itself) {
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
      .limits({.handler_timeout = Milliseconds(20)});
  const ClientResponse answer = make_client().answer_of("/");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("retry-after"), "1");
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(ended, 1);
}

// Adds a field to each response, also to one that takes the place of the chain's.
struct Marks {
  Reply operator()(Request& request, Next next) const {
    Reply reply = next();
    reply.edit([this, &request](Response& response) { add_fields(request, response); });
    return reply;
  }
  void add_fields(const Request& request, Response& response) const {
    response.set("x-marked",
                 std::string(request.field("x-mark").value_or("none")) + " at " + std::string(request.path()));
  }
};

TEST_P(Handlers, the_answer_for_a_handler_that_takes_too_long_has_the_fields_of_middleware) {
  app.use(Marks());
  const auto waits = []() -> Task<std::string> {
    co_await sleep_for(Seconds(3600));
    co_return "late";
  };
  app.get("/waits", waits).limits({.handler_timeout = Milliseconds(20)});
  TransportClient client = make_client();
  for (const char* path : {"/waits", "/nothing"}) {
    client.get(path, {{"x-mark", "me"}});
    const ClientResponse answer = client.answer();
    EXPECT_EQ(answer.status, std::string_view(path) == "/waits" ? 503 : 404);
    EXPECT_EQ(answer.field("x-marked"), "me at " + std::string(path));
    EXPECT_EQ(answer.field("content-type"), "application/problem+json");
    if (answer.status == 503) client = make_client();
  }
}

TEST_P(Handlers, the_answer_for_a_status_that_is_not_final_has_the_fields_of_middleware) {
  app.use(Marks());
  app.get("/odd", [] { return Response(Status(199)); });
  const ClientResponse answer = make_client().answer_of("/odd");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.field("x-marked"), "none at /odd");
}

TEST_P(Handlers, many_requests_at_once_are_answered_each_its_own) {
  std::vector<TransportClient> callers;
  for (int i = 0; i < 20; ++i) {
    callers.push_back(make_client());
    callers.back().get("/late/" + std::to_string(i));
  }
  ASSERT_TRUE(gate.await(20));
  EXPECT_EQ(make_client().answer_of("/hello").content, "Hello, World!");
  gate.open();
  for (std::size_t i = 0; i < callers.size(); ++i) EXPECT_EQ(callers[i].answer().content, std::to_string(i));
}

// --- Middleware ---

TEST_P(Handlers, middleware_sees_the_request_first_and_the_answer_last) {
  app.use([](Request& request, Next next) -> Task<Response> {
    const std::string path(request.path());
    Response response = co_await next();
    co_return std::move(response.set("X-Path", path));
  });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/user/7").field("x-path"), "/user/7");
  EXPECT_EQ(client.answer_of("/nothing").field("x-path"), "/nothing") << "also of what is not there";
  EXPECT_EQ(client.answer_of("/throws").field("x-path"), "/throws");
}

TEST_P(Handlers, middleware_can_answer_before_the_content_comes) {
  auto closed = app.group("/closed");
  closed.use([](Request&, Next) { return Response(Status::Forbidden); });
  closed.post("/", [](Body body) { return body; });
  TransportClient client = make_client();
  client.begin("/closed/", "some", {{"content-length", "1000"}});
  EXPECT_EQ(client.answer().status, 403);
}

TEST_P(Handlers, middleware_can_give_up_a_handler_that_waits_for_its_content) {
  app.group("")
      .use([](Request&, Next next) -> Task<Response> { co_return co_await with_timeout(Milliseconds(10), next()); })
      .post("/", [](Body body) { return body; });
  TransportClient client = make_client();
  client.begin("/", {}, {{"content-length", "4"}});
  EXPECT_EQ(client.answer().status, 503);
  EXPECT_TRUE(all_ended());
}

// --- Streamed content ---

TEST_P(Handlers, a_body_stream_begins_before_the_content_is_complete) {
  std::atomic<std::size_t> seen = 0;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    std::size_t total = 0;
    while (const auto piece = co_await body.next()) seen = total += piece->size();
    co_return std::to_string(total);
  });
  TransportClient client = make_client();
  client.begin("/", "hello");
  ASSERT_TRUE(running().eventually([&] { return seen == 5; }));
  client.send(" world", true);
  EXPECT_EQ(client.answer().content, "11");
}

TEST_P(Handlers, a_large_upload_is_streamed_past_the_limit_for_whole_bodies) {
  const std::string content = pattern(12'000'000);  // of 10 MiB
  app.post("/", [&content](BodyStream body) -> Task<std::string> {
    std::size_t total = 0;
    bool right = true;
    while (const auto piece = co_await body.next()) {
      right = right && content.compare(total, piece->size(), *piece) == 0;
      total += piece->size();
    }
    co_return std::to_string(total) + (right ? " right" : " wrong");
  });
  TransportClient client = make_client();
  client.post("/", content);
  EXPECT_EQ(client.answer().content, "12000000 right");
}

TEST_P(Handlers, a_slow_handler_slows_the_client_down) {
  std::atomic<std::size_t> read = 0;
  app.post("/", [&](BodyStream body) -> Task<std::string> {
    read += (co_await body.next()).value_or("").size();
    co_await gate.pass();
    while (const auto piece = co_await body.next()) read += piece->size();
    co_return std::to_string(read);
  });
  TransportClient client = make_client();
  client.post("/", pattern(15'000'000));
  ASSERT_TRUE(gate.await());
  settle();
  const auto receives = running().counters().receives.value();
  settle();
  EXPECT_LE(running().counters().receives.value(), receives + 2);
  EXPECT_LE(read, settings.http2.stream_window);
  gate.open();
  EXPECT_EQ(client.answer().content, "15000000");
}

TEST_P(Handlers, a_route_may_limit_a_body_stream) {
  app.post("/",
           [](BodyStream body) -> Task<std::string> {
             while (co_await body.next()) {
             }
             co_return "all";
           })
      .limits({.max_body_bytes = 10});
  TransportClient client = make_client();
  client.post("/", "0123456789");
  EXPECT_EQ(client.answer().content, "all");
  client.post("/", "0123456789x");
  EXPECT_EQ(client.answer().status, 413);
}

TEST_P(Handlers, a_body_stream_whose_client_goes_ends_with_cancelled) {
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
  for (int i = 0; i < 10; ++i) {
    TransportClient client = make_client();
    client.begin("/", "half", {{"content-length", "100"}});
    ASSERT_TRUE(in_use(1));
    go(client, i % 2 == 0 ? Disconnection::Cancel : Disconnection::Reset);
    ASSERT_TRUE(all_ended());
  }
  EXPECT_EQ(cancelled, 10);
}

TEST_P(Handlers, a_wait_for_content_can_be_given_up) {
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
  TransportClient client = make_client();
  client.begin("/", {}, {{"content-length", "4"}});
  ASSERT_TRUE(running().eventually([&] { return timed_out.load(); }));
  client.send("late", true);
  EXPECT_EQ(client.answer().content, "late");
}

}  // namespace
}  // namespace tern::testing
