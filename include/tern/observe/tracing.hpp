// Traces: what a request did, step by step, in one tree over all services (https://www.w3.org/TR/trace-context/).
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/context.hpp>
#include <tern/http/request.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tern {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;
using SpanValue = std::variant<std::string, std::int64_t, double, bool>;

// A step that has ended. Times are in nanoseconds since 1970.
struct FinishedSpan {
  TraceId trace = {};
  SpanId id = {};
  SpanId parent = {};  // all zero: none
  std::string name;
  std::string trace_state;  // of the request's span, as it was received
  bool is_request = false;  // the request itself; otherwise a step within it
  bool failed = false;
  std::string fault;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::vector<std::pair<std::string, SpanValue>> attributes;
};

// Sends spans to where they are kept.
class SpanExporter {
public:
  SpanExporter() = default;
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;
  virtual ~SpanExporter() = default;

  // Called on the thread pool, one call after the other; may block. If it throws, the spans are lost, and counted.
  virtual void export_spans(std::span<const FinishedSpan> spans) = 0;
};

// Appends a line of JSON in the format of OTLP (ExportTraceServiceRequest) for each batch to a file, which collectors
// can read. Throws std::runtime_error if it cannot be opened.
base::Box<SpanExporter> otlp_file(const std::string& path, const std::string& service_name);

struct TracingOptions {
  // The share of traces that are kept, of those that begin here: 0.01 is one in a hundred. A request with a traceparent
  // is kept if its sender keeps the trace.
  double ratio = 0.01;
  bool follow_parent = true;  // false: traces that come with a request are treated like those that begin here
  // Beside these, every request is kept that takes so long (zero: none), or whose status is 5xx.
  Milliseconds slow = Seconds(1);
  bool errors = true;
  base::Box<SpanExporter> exporter = {};  // null: only the last ones are shown, at /traces of the admin address
  // Spans that wait for the exporter. More are dropped, and counted in tern_spans_dropped_total.
  std::size_t max_queued = 4096;
};

namespace observe {

class Trace;

// The context of code whose steps belong to a trace.
class StepContext : public coro::Context {
public:
  Trace* trace() const noexcept { return trace_; }
  // The span whose children its steps are.
  const SpanId& id() const noexcept { return id_; }
  void record(const coro::Step& step) noexcept override;
  base::Box<coro::Context> fork() override;

protected:
  StepContext(Trace* trace, const SpanId& id) noexcept : trace_(trace), id_(id) {}

  Trace* trace_;
  SpanId id_;
};

}  // namespace observe

// See Span::make_current(). Destroy it in the function that has made it.
class [[nodiscard]] CurrentSpan final : private observe::StepContext {
public:
  ~CurrentSpan() override;

private:
  friend class Span;
  CurrentSpan(observe::Trace* trace, const SpanId& id) noexcept;

  coro::Context* previous_ = nullptr;
};

// A step of a request: begins with it, and ends with end() or the destructor. It must not outlive the request. Move it
// to where the work is, also into an offloaded function; one thread uses it at a time. It does nothing while the app
// has no trace(), and outside of requests.
class Span {
public:
  Span() noexcept = default;
  Span(const Request& request, std::string_view name);
  // Of what the running code works for: the request whose handler has called or awaited it; the current span, see
  // make_current(). A function that was offloaded, and a task that was spawned, have that of their caller; a spawned
  // one may outlive the request.
  explicit Span(std::string_view name);
  Span(Span&& other) noexcept;
  Span& operator=(Span&& other) noexcept;
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() { end(); }

  // A step of this step.
  Span child(std::string_view name) const;
  // Until the end of the result, this step is the parent of steps without a named parent, and of the statements of
  // databases: in this function, and in what it calls, awaits, offloads and spawns.
  //
  //   tern::Span load = tern::span("load");
  //   const auto current = load.make_current();
  CurrentSpan make_current() const noexcept { return {trace_, data_.id}; }
  void set(std::string_view key, std::string_view text) { add(key, SpanValue(std::string(text))); }
  void set(std::string_view key, const char* text) { add(key, SpanValue(std::string(text))); }
  void set(std::string_view key, std::int64_t number) { add(key, SpanValue(number)); }
  void set(std::string_view key, int number) { add(key, SpanValue(std::int64_t{number})); }
  void set(std::string_view key, double number) { add(key, SpanValue(number)); }
  void set(std::string_view key, bool value) { add(key, SpanValue(value)); }
  // It did not work, and why.
  void fail(std::string_view why);
  void end() noexcept;

  // The field `traceparent` for a request to another service that this step makes; empty without a trace.
  std::string traceparent() const;

private:
  void begin(observe::Trace& trace, const SpanId& parent, std::string_view name);
  void add(std::string_view key, SpanValue value);

  observe::Trace* trace_ = nullptr;
  FinishedSpan data_;
};

// tern::span("load"): a step of the current request, or of the current span.
inline Span span(std::string_view name) {
  return Span(name);
}
// tern::span(request, "load"): a step of that request.
inline Span span(const Request& request, std::string_view name) {
  return {request, name};
}

// The fields for a request to another service. Empty ones are not sent.
struct TraceFields {
  std::string traceparent;
  std::string tracestate;
  std::string baggage;
};
TraceFields trace_fields(const Request& request);
// The value of that name in the request's baggage (https://www.w3.org/TR/baggage/), decoded.
std::optional<std::string> baggage(const Request& request, std::string_view name);

}  // namespace tern
