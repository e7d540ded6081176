// Traces of a running server: which requests are kept, what their spans say, and where these go.
#include "observe/serving_traces.hpp"

#include <tern/async.hpp>

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

namespace tern {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent = "00-" + trace_id + "-00f067aa0ba902b7-";

TEST_F(ServingTraces, keep_a_request_with_route_status_and_parent) {
  app.get("/books/{id}", [](int id) { return id; });
  start(0);
  ask("/books/7?secret=1", "traceparent: " + parent + "01\r\ntracestate: a=b\r\n");
  const auto& all = spans();
  ASSERT_EQ(all.size(), 1U);
  const FinishedSpan& span = all.front();
  EXPECT_EQ(span.name, "GET /books/{id}");
  EXPECT_EQ(hex(span.trace), trace_id);
  EXPECT_EQ(hex(span.parent), "00f067aa0ba902b7");
  EXPECT_EQ(span.trace_state, "a=b");
  EXPECT_TRUE(span.is_request);
  EXPECT_FALSE(span.failed);
  EXPECT_LE(span.start, span.end);
  EXPECT_EQ(attribute(span, "http.request.method"), SpanValue(std::string("GET")));
  EXPECT_EQ(attribute(span, "http.route"), SpanValue(std::string("/books/{id}")));
  EXPECT_EQ(attribute(span, "url.path"), SpanValue(std::string("/books/7")));  // without the query
  EXPECT_EQ(attribute(span, "http.response.status_code"), SpanValue(std::int64_t{200}));
  EXPECT_EQ(attribute(span, "client.address"), SpanValue(std::string("127.0.0.1")));
}

TEST_F(ServingTraces, follow_the_decision_of_the_parent) {
  start(1);
  ask("/hello", "traceparent: " + parent + "00\r\n");
  EXPECT_TRUE(spans().empty());
}

TEST_F(ServingTraces, begin_a_trace_for_a_parent_that_is_invalid) {
  start(1);
  ask("/hello", "traceparent: " + parent + "0x\r\n");
  const auto& all = spans();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(hex(all.front().trace), trace_id);
  EXPECT_EQ(all.front().parent, SpanId{});
}

TEST_F(ServingTraces, keep_a_share_of_those_that_begin_here) {
  start(0.5);
  net::Peer peer = connect(app.port());
  std::string requests;
  for (int i = 0; i < 400; ++i) requests += "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  peer.send(requests + "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  peer.receive_all();
  const auto& all = spans();
  // 401 tosses of a coin: fewer than 120 or more than 280 are less likely than one in 10^15.
  EXPECT_GT(all.size(), 120U);
  EXPECT_LT(all.size(), 280U);
}

TEST_F(ServingTraces, keep_errors_and_slow_requests_in_any_case) {
  app.get("/fails", []() -> std::string { throw std::runtime_error("x"); });
  app.get("/missing-book", [] { return Status::NotFound; });
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(230));
    co_return "done";
  });
  start(0);
  ask("/hello");
  ask("/missing-book");
  ask("/fails");
  ask("/slow");
  const auto& all = spans();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "GET /fails");
  EXPECT_TRUE(all[0].failed);
  EXPECT_EQ(attribute(all[0], "error.type"), SpanValue(std::string("500")));
  EXPECT_EQ(all[1].name, "GET /slow");
  EXPECT_GE(all[1].end - all[1].start, 200'000'000U);
}

TEST_F(ServingTraces, have_the_steps_of_coroutines_and_offloaded_work) {
  app.get("/steps", [](Request& request) -> Task<std::string> {
    Span load = span(request, "load");
    load.set("rows", 7);
    co_await sleep_for(Milliseconds(1));
    auto work = [step = load.child("render")]() mutable {
      step.fail("no paper");
      step.end();
      return 1;
    };
    co_await offload(work);
    load.end();
    co_return "done";
  });
  start(1);
  ask("/steps");
  const auto& all = spans();
  ASSERT_EQ(all.size(), 3U);
  const FinishedSpan& request = all[0];
  const FinishedSpan& render = all[1];
  const FinishedSpan& load = all[2];
  EXPECT_EQ(load.name, "load");
  EXPECT_EQ(load.parent, request.id);
  EXPECT_EQ(attribute(load, "rows"), SpanValue(std::int64_t{7}));
  EXPECT_EQ(render.name, "render");
  EXPECT_EQ(render.parent, load.id);
  EXPECT_TRUE(render.failed);
  EXPECT_EQ(render.fault, "no paper");
  for (const FinishedSpan& step : {render, load}) {
    EXPECT_EQ(step.trace, request.trace);
    EXPECT_FALSE(step.is_request);
    EXPECT_LE(step.start, step.end);
  }
  EXPECT_NE(load.id, render.id);
}

TEST_F(ServingTraces, continue_in_other_services) {
  app.get("/forward", [](Request& request) {
    const TraceFields fields = trace_fields(request);
    return fields.traceparent + " " + fields.tracestate + " " + fields.baggage + " " +
           span(request, "call").traceparent() + " " + baggage(request, "user").value_or("none") + " " +
           baggage(request, "country").value_or("none");
  });
  start(0);
  const std::string answer =
      ask("/forward", "traceparent: " + parent + "01\r\ntracestate: a=b\r\nbaggage: x=1, user = A%20B;p=1\r\n");
  EXPECT_THAT(answer, HasSubstr("00-" + trace_id + "-"));
  EXPECT_THAT(answer, HasSubstr("-01 a=b x=1, user = A%20B;p=1 00-" + trace_id));
  EXPECT_THAT(answer, HasSubstr(" A B none"));
  EXPECT_THAT(answer, Not(HasSubstr("00f067aa0ba902b7")));  // the parent is this request now
}

TEST_F(ServingTraces, are_named_in_lines_of_the_log) {
  app.get("/log", [](Request& request) {
    request.log(LogLevel::Error, "here");
    return "";
  });
  start(0, logged());
  ask("/log", "traceparent: " + parent + "01\r\n");
  app.stop();
  EXPECT_THAT(content_of(folder.path / "error"), HasSubstr("GET /log: here trace_id=" + trace_id));
}

TEST_F(ServingTraces, are_exemplars_of_durations) {
  start(0);
  ask("/hello", "traceparent: " + parent + "01\r\n");
  const auto metrics = [this](const std::string& accept) {
    return ask(app.port("admin"), "/metrics", "Accept: " + accept + "\r\n");
  };
  std::string all = metrics("application/openmetrics-text");
  while (!all.contains(trace_id)) all = metrics("application/openmetrics-text");
  EXPECT_THAT(all, HasSubstr("le=\"0.005\"} 1 # {trace_id=\"" + trace_id + "\"} "));
  EXPECT_THAT(metrics("text/plain"), Not(HasSubstr(trace_id)));
  EXPECT_THAT(ask(app.port("admin"), "/traces", ""), HasSubstr(R"({"trace_id":")" + trace_id + "\""));
}

TEST_F(ServingTraces, are_dropped_and_counted_when_the_exporter_fails_or_is_slow) {
  exported.fails = true;
  max_queued = 3;
  Options options = logged();
  options.logging.level = LogLevel::Warning;
  start(1, options);
  for (int i = 0; i < 5; ++i) ask("/hello");
  const auto lost = [this] { return ask(app.port("admin"), "/metrics", ""); };
  std::string all = lost();
  while (!all.contains("\ntern_spans_dropped_total ") || all.contains("\ntern_spans_dropped_total 0\n") ||
         all.contains("\ntern_spans_dropped_total 1\n") || all.contains("\ntern_spans_dropped_total 2\n")) {
    all = lost();
  }
  EXPECT_TRUE(spans().empty());
  EXPECT_THAT(content_of(folder.path / "error"), HasSubstr("spans were lost: no collector"));
}

TEST_F(ServingTraces, are_dropped_and_counted_while_the_exporter_blocks) {
  exported.blocks = true;
  max_queued = 3;
  start(1);
  const auto dropped = [this] {
    return !ask(app.port("admin"), "/metrics", "").contains("\ntern_spans_dropped_total 0\n");
  };
  while (!dropped()) EXPECT_THAT(ask("/hello"), StartsWith("HTTP/1.1 200"));
  exported.blocks = false;
  EXPECT_GE(spans().size(), 3U);
}

TEST_F(ServingTraces, are_exported_again_after_an_exception_of_any_kind) {
  exported.throws_a_number = true;
  start(1);
  ask("/hello");
  while (exported.throws_a_number) std::this_thread::yield();
  ask("/hello");
  EXPECT_EQ(spans().size(), 1U);
}

// Limits the size of files while it lives, like a full disk.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(ServingTraces, are_whole_lines_of_a_file_whose_disk_was_full) {
  const std::filesystem::path path = folder.path / "traces.json";
  const base::Box<SpanExporter> file = otlp_file(path, "shop");
  FinishedSpan span;
  span.name = "GET /hello";
  file->export_spans({&span, 1});
  const std::string line = content_of(path);
  {
    const FileLimit limit(line.size() + 10);
    try {
      file->export_spans({&span, 1});
      ADD_FAILURE() << "the disk is full";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("File too large"));
    }
  }
  file->export_spans({&span, 1});
  EXPECT_EQ(content_of(path), line + line);
}

TEST_F(ServingTraces, leave_out_a_tracestate_that_is_too_long) {
  start(1);
  const std::string field = "traceparent: " + parent + "01\r\ntracestate: a=";
  ask("/hello", field + std::string(510, 'b') + "\r\n");
  ask("/hello", field + std::string(511, 'b') + "\r\n");
  const auto& all = spans();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].trace_state.size(), 512U);
  EXPECT_EQ(all[1].trace_state, "");
}

TEST_F(ServingTraces, are_written_to_a_file) {
  const std::filesystem::path path = folder.path / "traces.json";
  TracingOptions tracing{.ratio = 1};
  tracing.exporter = otlp_file(path, "shop");
  app.trace(std::move(tracing));
  app.start(quiet());
  ask("/hello", "traceparent: " + parent + "01\r\n");
  app.stop();
  const std::string text = content_of(path);
  EXPECT_THAT(text, StartsWith(R"({"resourceSpans":[{"resource":)"));
  EXPECT_THAT(text, HasSubstr(R"("traceId":")" + trace_id + "\""));
  EXPECT_THAT(text, HasSubstr(R"("name":"GET /hello","kind":2)"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_THROW(otlp_file("/nowhere/traces.json", "shop"), std::runtime_error);
}

}  // namespace
}  // namespace tern
