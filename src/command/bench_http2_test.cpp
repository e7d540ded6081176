// tern bench --http2: its load against servers of the test, by prior knowledge.
#include "load/run.hpp"

#include <tern/tern.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace tern::command {
namespace {

using load::LoadOptions;
using load::LoadReport;
using ::testing::HasSubstr;

class BenchOverHttp2 : public ::testing::Test {
protected:
  // The report about `path` of the app.
  LoadReport run(LoadOptions options, const std::string& path = "/") {
    app.start({.port = 0, .threads = 1, .logging = {.level = LogLevel::Off}});
    options.url = "http://127.0.0.1:" + std::to_string(app.port()) + path;
    options.http2 = true;
    const LoadReport report = load::run(options);
    app.stop();
    return report;
  }

  App app;
};

TEST_F(BenchOverHttp2, counts_responses_of_all_streams) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  app.get("/", [&]() -> Task<std::string> {
    const int running = ++now;
    if (running > most) most = running;  // one loop
    co_await sleep_for(Milliseconds(2));
    --now;
    co_return "Hello";
  });
  const LoadReport report = run({.connections = 2, .streams = 5, .seconds = 0.3, .warm_up = 0.05});
  EXPECT_GT(report.requests, 10U);
  EXPECT_EQ(report.errors, 0U);
  EXPECT_GE(report.classes[2], report.requests);
  EXPECT_GT(report.received_bytes, report.requests * 5);
  EXPECT_GE(report.p50, 2000);
  EXPECT_EQ(most, 10);
}

TEST_F(BenchOverHttp2, sends_method_fields_and_content) {
  std::atomic<bool> is_as_asked = false;
  const std::string content(200'000, 'c');  // more than a window
  app.post("/a", [&](const Request& request) {
    is_as_asked = request.body() == content && request.field("x-test") == "1" && request.host() == "localhost";
    return Status::NoContent;
  });
  const LoadReport report = run({.method = "POST",
                                 .fields = {{"X-Test", "1"}, {"Host", "localhost"}},
                                 .content = content,
                                 .connections = 1,
                                 .seconds = 0.1},
                                "/a");
  EXPECT_TRUE(is_as_asked);
  EXPECT_GT(report.requests, 0U);
  EXPECT_GE(report.classes[2], report.requests);
}

// As Bench.counts_latencies_from_when_requests_were_due, with one stream.
TEST_F(BenchOverHttp2, counts_latencies_from_when_requests_were_due) {
  std::atomic<int> calls = 0;
  app.get("/", [&calls]() -> Task<std::string> {
    if (calls.fetch_add(1) == 0) co_await sleep_for(Milliseconds(400));
    co_return "done";
  });
  const LoadReport report = run({.connections = 1, .seconds = 0.5, .rate = 100});
  EXPECT_GE(report.requests, 50U);
  EXPECT_LE(report.requests, 51U);
  EXPECT_GE(report.max, 400'000);
  EXPECT_GE(report.p50, 100'000);
  EXPECT_EQ(report.unanswered, 0U);
}

// With a second stream, those behind the slow one have not waited.
TEST_F(BenchOverHttp2, is_not_delayed_by_another_stream) {
  std::atomic<int> calls = 0;
  app.get("/", [&calls]() -> Task<std::string> {
    if (calls.fetch_add(1) == 0) co_await sleep_for(Milliseconds(400));
    co_return "done";
  });
  const LoadReport report = run({.connections = 1, .streams = 2, .seconds = 0.5, .rate = 100});
  EXPECT_GE(report.requests, 50U);
  EXPECT_GE(report.max, 400'000);
  EXPECT_LT(report.p50, 100'000);
}

TEST_F(BenchOverHttp2, counts_requests_that_have_no_response_at_the_end) {
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(Seconds(60));
    co_return "late";
  });
  const LoadReport report = run({.connections = 1, .streams = 2, .seconds = 0.3, .rate = 10, .grace = 0.05});
  EXPECT_EQ(report.requests, 0U);
  EXPECT_GE(report.unanswered, 3U);
}

TEST_F(BenchOverHttp2, counts_streams_that_are_reset) {
  app.get("/", [] {
    return Response::stream(media::text, [](Writer& writer) -> Task<> {
      co_await writer.write("a part");
      throw std::runtime_error("no more");
    });
  });
  try {
    run({.connections = 1, .seconds = 30});
    ADD_FAILURE() << "there was a response";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a stream was reset: "));
  }
  app.stop();
}

}  // namespace
}  // namespace tern::command
