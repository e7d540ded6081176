// Steps without a named request: each is a child of the request, or the span, that its code works for.
#include "observe/serving_traces.hpp"

#include <tern/async.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {
namespace {

using ::testing::HasSubstr;

class CurrentSpans : public ServingTraces {
protected:
  // On one loop.
  void start_one_loop(double ratio = 1) {
    Options options = quiet();
    options.threads = 1;
    start(ratio, options);
  }
  const FinishedSpan& named(const std::string& name) {
    const auto found = std::ranges::find(exported.all, name, &FinishedSpan::name);
    if (found != exported.all.end()) return *found;
    ADD_FAILURE() << "no span is called " << name;
    static const FinishedSpan none;
    return none;
  }
  void expect_child(const std::string& name, const std::string& parent) {
    const FinishedSpan& step = named(name);
    EXPECT_EQ(step.parent, named(parent).id) << name << " is not a child of " << parent;
    EXPECT_EQ(step.trace, named(parent).trace) << name;
    EXPECT_NE(step.id, SpanId{});
  }
  bool has(const std::string& name) {
    return std::ranges::find(exported.all, name, &FinishedSpan::name) != exported.all.end();
  }
};

int counted(std::string_view name) {
  const Span step = span(name);
  return 1;
}

Task<> wait_within(std::string name) {
  co_await sleep_for(Milliseconds(1));
  const Span step = span(name);
  co_await yield();
}

TEST_F(CurrentSpans, are_those_of_handlers_middleware_and_what_these_call) {
  app.use([](Request&, Next next) {
    const Span step = span("middleware");
    return next();
  });
  app.get("/plain", [] { return counted("plain"); });
  app.get("/waits", []() -> Task<std::string> {
    co_await wait_within("within");
    counted("after");
    co_return "done";
  });
  start_one_loop();
  ask("/plain");
  spans();
  expect_child("middleware", "GET /plain");
  expect_child("plain", "GET /plain");
}

TEST_F(CurrentSpans, are_kept_by_waits) {
  app.get("/waits", []() -> Task<std::string> {
    co_await wait_within("within");
    counted("after");
    co_return "done";
  });
  start_one_loop();
  ask("/waits");
  spans();
  expect_child("within", "GET /waits");
  expect_child("after", "GET /waits");
}

// Both are in flight at the same time, and take turns.
TEST_F(CurrentSpans, of_interleaved_requests_are_their_own) {
  int arrived = 0;
  Event both;
  const auto take_turns = [&](std::string name) -> Task<std::string> {
    if (++arrived == 2) both.set();
    co_await both.wait();
    for (int i = 0; i < 5; ++i) {
      counted(name + std::to_string(i));
      co_await yield();
    }
    co_return "done";
  };
  app.get("/a", [&] { return take_turns("a"); });
  app.get("/b", [&] { return take_turns("b"); });
  start_one_loop();
  net::Peer first = connect(app.port());
  net::Peer second = connect(app.port());
  first.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  second.send("GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(first.receive_all(), HasSubstr("done"));
  EXPECT_THAT(second.receive_all(), HasSubstr("done"));
  spans();
  EXPECT_NE(named("GET /a").trace, named("GET /b").trace);
  for (int i = 0; i < 5; ++i) {
    expect_child("a" + std::to_string(i), "GET /a");
    expect_child("b" + std::to_string(i), "GET /b");
  }
}

TEST_F(CurrentSpans, follow_offloaded_functions) {
  app.get("/offloads", []() -> Task<std::string> {
    co_await offload([] { return counted("direct"); });
    Span step = span("step");
    const auto current = step.make_current();
    co_await offload([] {
      Span outer = span("outer");
      const auto within = outer.make_current();
      return counted("inner");
    });
    counted("after");
    co_return "done";
  });
  start_one_loop();
  ask("/offloads");
  spans();
  expect_child("direct", "GET /offloads");
  expect_child("step", "GET /offloads");
  expect_child("outer", "step");
  expect_child("inner", "outer");
  expect_child("after", "step");
}

Task<> in_step(std::string name) {
  Span step = span(name);
  const auto current = step.make_current();
  co_await yield();
  counted("in " + name);
  co_await yield();
}

TEST_F(CurrentSpans, of_concurrent_tasks_are_siblings) {
  app.get("/both", []() -> Task<std::string> {
    co_await when_all(in_step("left"), in_step("right"));
    counted("after");
    co_return "done";
  });
  start_one_loop();
  ask("/both");
  spans();
  for (const char* name : {"left", "right", "after"}) expect_child(name, "GET /both");
  expect_child("in left", "left");
  expect_child("in right", "right");
}

TEST_F(CurrentSpans, follow_spawned_tasks_beyond_the_request) {
  Event go_on;
  app.get("/spawns", [&]() -> std::string {
    Span step = span("step");
    const auto current = step.make_current();
    spawn([&]() -> Task<> {
      counted("early");
      co_await go_on.wait();
      counted("late");
      spawn([]() -> Task<> {
        co_await yield();
        counted("nested");
      });
      co_await offload([] { return counted("offloaded"); });
    });
    return "done";
  });
  app.get("/go-on", [&] {
    go_on.set();
    return "gone on";
  });
  start_one_loop();
  ask("/spawns");
  ask("/go-on");
  std::string shown = ask(app.port("admin"), "/traces", "");
  while (!shown.contains("offloaded")) shown = ask(app.port("admin"), "/traces", "");
  spans();
  for (const char* name : {"early", "late", "nested", "offloaded"}) expect_child(name, "step");
  EXPECT_GE(named("late").start, named("GET /spawns").end);
}

TEST_F(CurrentSpans, of_tasks_whose_request_is_not_kept_are_not_kept) {
  Event go_on;
  std::atomic<bool> ended = false;
  app.get("/spawns", [&]() -> std::string {
    spawn([&]() -> Task<> {
      counted("early");
      co_await go_on.wait();
      counted("late");
      ended = true;
    });
    return "done";
  });
  app.get("/go-on", [&] {
    go_on.set();
    return Status::InternalServerError;  // kept
  });
  start_one_loop(0);
  ask("/spawns");
  ask("/go-on");
  while (!ended) ask("/hello");
  spans();
  EXPECT_TRUE(has("GET /go-on"));
  EXPECT_FALSE(has("early"));
  EXPECT_FALSE(has("late"));
}

TEST_F(CurrentSpans, are_kept_while_content_is_read_and_written) {
  app.post("/read", [](Body body) -> Task<std::string> {
    counted("has " + std::string(body.bytes));
    co_await yield();
    co_return "done";
  });
  app.post("/pieces", [](BodyStream content) -> Task<Response> {
    while (true) {
      const auto piece = co_await content.next();
      if (!piece) break;
      counted("piece");
    }
    co_return Response::stream("text/plain", [](Writer& out) -> Task<> {
      counted("first part");
      co_await out.write("a");
      co_await sleep_for(Milliseconds(1));
      counted("second part");
      co_await out.write("b");
    });
  });
  start_one_loop();
  for (const std::string path : {"/read", "/pieces"}) {
    net::Peer peer = connect(app.port());
    peer.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n");
    ask("/hello");  // the content comes later
    peer.send("hi");
    EXPECT_THAT(peer.receive_all(), HasSubstr("200 OK"));
  }
  spans();
  expect_child("has hi", "POST /read");
  for (const char* name : {"piece", "first part", "second part"}) expect_child(name, "POST /pieces");
}

TEST_F(CurrentSpans, are_none_outside_of_requests) {
  app.get("/after", [] { return Response::text("x").after([] { counted("after the response"); }); });
  std::atomic<bool> ran = false;
  start_one_loop();
  app.spawn([&]() -> Task<> {
    EXPECT_EQ(span("background").traceparent(), "");
    ran = true;
    co_return;
  });
  ask("/after");
  while (!ran) ask("/hello");
  EXPECT_EQ(span("no loop").traceparent(), "");
  spans();
  EXPECT_FALSE(has("background"));
  EXPECT_FALSE(has("after the response"));
  EXPECT_FALSE(has("no loop"));
}

TEST_F(CurrentSpans, have_what_libraries_record) {
  app.get("/records", []() -> Task<std::string> {
    Span step = span("step");
    const auto current = step.make_current();
    co_await yield();
    const coro::StepValue values[] = {{"db.system.name", "sqlite"}, {"db.response.returned_rows", 3}};
    coro::Context::current()->record({"select", 2'000'000, "no such table", values});
    co_return "done";
  });
  start_one_loop();
  ask("/records");
  spans();
  expect_child("select", "step");
  const FinishedSpan& statement = named("select");
  EXPECT_TRUE(statement.failed);
  EXPECT_EQ(statement.fault, "no such table");
  EXPECT_EQ(statement.end - statement.start, 2'000'000U);
  EXPECT_EQ(attribute(statement, "db.system.name"), SpanValue(std::string("sqlite")));
  EXPECT_EQ(attribute(statement, "db.response.returned_rows"), SpanValue(std::int64_t{3}));
}

}  // namespace
}  // namespace tern
