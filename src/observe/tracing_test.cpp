// The field traceparent, and spans as OTLP's JSON.
#include "coro/manual_executor.hpp"
#include "observe/otlp.hpp"
#include "observe/trace_context.hpp"
#include "observe/tracer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::observe {
namespace {

constexpr std::string_view valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(Traceparent, is_read_and_written) {
  const auto parent = parse_traceparent(valid);
  ASSERT_TRUE(parent);
  EXPECT_EQ(hex(parent->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(hex(parent->parent), "00f067aa0ba902b7");
  EXPECT_TRUE(parent->sampled);
  EXPECT_EQ(format_traceparent(parent->trace, parent->parent, true), valid);
  std::string unsampled(valid);
  unsampled.back() = '0';
  EXPECT_FALSE(parse_traceparent(unsampled)->sampled);
  unsampled.back() = '2';  // a flag of a later version
  EXPECT_FALSE(parse_traceparent(unsampled)->sampled);
}

TEST(Traceparent, of_a_later_version_may_be_longer) {
  std::string later(valid);
  later[1] = '1';
  EXPECT_TRUE(parse_traceparent(later));
  EXPECT_TRUE(parse_traceparent(later + "-what-comes-then"));
  EXPECT_FALSE(parse_traceparent(later + "x"));
  EXPECT_FALSE(parse_traceparent(std::string(valid) + "-x"));  // this version is not
}

TEST(Traceparent, is_refused_when_any_of_it_is_invalid) {
  const auto with = [](std::size_t at, std::string_view text) {
    std::string changed(valid.substr(0, at));  // not replace(), of which GCC 14 warns without a reason
    changed.append(text).append(valid.substr(at + text.size()));
    return changed;
  };
  for (std::size_t size = 0; size < valid.size(); ++size) EXPECT_FALSE(parse_traceparent(valid.substr(0, size)));
  EXPECT_FALSE(parse_traceparent(with(0, "ff")));
  EXPECT_FALSE(parse_traceparent(with(3, std::string(32, '0'))));
  EXPECT_FALSE(parse_traceparent(with(36, std::string(16, '0'))));
  EXPECT_FALSE(parse_traceparent(with(4, "B")));  // upper case
  EXPECT_FALSE(parse_traceparent(with(40, "g")));
  EXPECT_FALSE(parse_traceparent(with(53, " 1")));
  for (const std::size_t dash : {std::size_t{2}, std::size_t{35}, std::size_t{52}})
    EXPECT_FALSE(parse_traceparent(with(dash, "_")));
}

TEST(Otlp, writes_spans_as_json) {
  FinishedSpan request;
  request.trace = parse_traceparent(valid)->trace;
  request.id = parse_traceparent(valid)->parent;
  request.name = "GET /\"x\"";
  request.is_request = true;
  request.start = 1'700'000'000'000'000'001;
  request.end = 1'700'000'000'000'000'002;
  FinishedSpan step = request;
  step.parent = request.id;
  step.is_request = false;
  step.failed = true;
  step.fault = "no";
  step.attributes = {{"a", std::string("b")}, {"n", std::int64_t{7}}, {"r", 0.5}, {"t", true}};
  const std::vector<FinishedSpan> spans = {request, step};
  EXPECT_EQ(
      otlp_json(spans, "shop"),
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},)"
      R"("scopeSpans":[{"scope":{"name":"tern"},"spans":[)"
      R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","name":"GET /\"x\"","kind":2,)"
      R"("startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002","attributes":[]},)"
      R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","parentSpanId":"00f067aa0ba902b7",)"
      R"("name":"GET /\"x\"","kind":1,"startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002",)"
      R"("attributes":[{"key":"a","value":{"stringValue":"b"}},{"key":"n","value":{"intValue":"7"}},)"
      R"({"key":"r","value":{"doubleValue":0.5}},{"key":"t","value":{"boolValue":true}}],)"
      R"("status":{"code":2,"message":"no"}}]}]}]})");
}

class CountingExporter final : public SpanExporter {
public:
  explicit CountingExporter(std::size_t& count) : count_(count) {}
  void export_spans(std::span<const FinishedSpan> spans) override { count_ += spans.size(); }

private:
  std::size_t& count_;
};

// A stop finds spans that wait for a thread of the pool.
TEST(Tracer, exports_with_the_next_call_what_a_stop_has_kept_from_the_pool) {
  coro::ManualExecutor loop;
  coro::ManualPool pool;
  loop.pool = &pool;
  std::size_t exported = 0;
  TracingOptions options;
  options.exporter = base::Box<SpanExporter>(new CountingExporter(exported));
  Tracer tracer(std::move(options), [](LogLevel, std::string_view) {});
  tracer.keep_late(FinishedSpan(), {});
  StopState stop;
  coro::StartedTask<> stopped(tracer.flush(), &stop);
  EXPECT_EQ(pool.waiting, 1U);
  tracer.keep_late(FinishedSpan(), {});
  stop.stop();
  loop.run();
  EXPECT_TRUE(stopped.ended());
  EXPECT_EQ(pool.waiting, 0U);
  coro::StartedTask<> next(tracer.flush());
  ASSERT_EQ(pool.waiting, 1U);
  pool.run_one();
  loop.run();
  EXPECT_TRUE(next.ended());
  EXPECT_EQ(exported, 2U);
}

}  // namespace
}  // namespace tern::observe
