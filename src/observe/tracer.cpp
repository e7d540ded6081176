#include "observe/tracer.hpp"

#include "observe/trace_context.hpp"

#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <utility>

namespace tern::observe {
namespace {

constexpr std::size_t max_recent = 200;       // requests that /traces shows
constexpr std::size_t max_batch = 512;        // spans that are exported at once
constexpr std::size_t max_trace_state = 512;  // bytes that others have to pass on (W3C Trace Context, section 3.3.1.5)
constexpr Milliseconds pause = Seconds(1);

std::uint64_t last_eight(const TraceId& trace) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i < trace.size(); ++i) number = number << 8U | trace[i];
  return number;
}

std::string_view version_of(const Request& request) noexcept {
  switch (request.version()) {
    case Version::Http10: return "1.0";
    case Version::Http11: return "1.1";
    case Version::Http2: break;
  }
  return "2";
}

FinishedSpan request_span(const Request& request, const Trace& trace, const http::RequestEnd* end) {
  FinishedSpan span;
  span.trace = trace.trace;
  span.id = trace.id;
  span.parent = trace.parent;
  span.is_request = true;
  if (trace.parent != SpanId{}) span.trace_state = request.field("tracestate").value_or("");
  if (span.trace_state.size() > max_trace_state) span.trace_state.clear();
  const std::string_view method = request.target().empty() ? "HTTP" : request.method_name();  // empty: not parsed
  span.name = method;
  if (!request.route().empty()) span.name.append(" ").append(request.route());
  const auto add = [&span](std::string_view key, SpanValue value) {
    span.attributes.emplace_back(key, std::move(value));
  };
  add("http.request.method", std::string(method));
  if (!request.route().empty()) add("http.route", std::string(request.route()));
  add("url.path", std::string(request.path()));
  add("url.scheme", std::string(request.scheme()));
  add("network.protocol.version", std::string(version_of(request)));
  add("client.address", std::string(request.remote()));
  span.end = unix_nanoseconds();
  span.start = span.end;
  if (end == nullptr) {
    span.failed = true;
    span.fault = "the client has disconnected";
    return span;
  }
  span.start -= end->nanoseconds;
  const int status = code(end->status);
  add("http.response.status_code", std::int64_t{status});
  add("http.response.body.size", static_cast<std::int64_t>(end->bytes));
  span.failed = status >= 500;
  if (span.failed) add("error.type", std::to_string(status));
  return span;
}

}  // namespace

std::uint64_t Tracer::Random::next() noexcept {
  return mixed(state += 0x9E3779B97F4A7C15U);
}

Tracer::Tracer(TracingOptions options, Log log) : options_(std::move(options)), log_(std::move(log)) {
  const double ratio = std::clamp(options_.ratio, 0.0, 1.0);
  most_ = ratio >= 1 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(std::ldexp(ratio, 64));
}

void Tracer::prepare(std::size_t loops) {
  std::random_device device;
  random_.resize(loops);
  for (Random& random : random_) random.state = std::uint64_t{device()} << 32U | device();
}

void Tracer::begin(Exchange& exchange) noexcept {
  if (exchange.loop_index() >= random_.size()) return;
  try {
    Request& request = exchange.request();
    auto& context = exchange.arena().make<RequestContext>();
    Trace& trace = context.own;
    Random& random = random_[exchange.loop_index()];
    const auto received = request.field("traceparent");
    const auto parent = received ? parse_traceparent(*received) : std::nullopt;
    if (parent) {
      trace.trace = parent->trace;
      trace.parent = parent->parent;
    } else {
      fill_id(trace.trace, 0, random.next());
      fill_id(trace.trace, 8, random.next());
    }
    trace.seed = random.next();
    fill_id(trace.id, 0, trace.seed);
    context.set_id(trace.id);
    trace.sampled = parent && options_.follow_parent ? parent->sampled : last_eight(trace.trace) < most_;
    write_hex(trace.trace, trace.text.data());
    request.set_trace_id({trace.text.data(), trace.text.size()});
    exchange.set_work_context(&context);
  } catch (const std::bad_alloc&) {
  }
}

bool Tracer::is_kept(const Trace& trace, const http::RequestEnd* end) const noexcept {
  if (trace.sampled) return true;
  if (end == nullptr) return false;
  if (options_.errors && code(end->status) >= 500) return true;
  const auto slow = static_cast<std::uint64_t>(options_.slow.count()) * 1'000'000;
  return slow != 0 && end->nanoseconds >= slow;
}

const Trace* Tracer::end(Exchange& exchange, const http::RequestEnd* end) noexcept {
  auto* const context = static_cast<RequestContext*>(exchange.work_context());
  if (context == nullptr) return nullptr;
  Trace& trace = context->own;
  const bool kept = is_kept(trace, end);
  try {
    std::vector<FinishedSpan> spans;
    if (kept) spans.push_back(request_span(exchange.request(), trace, end));
    trace.settle(spans, kept ? this : nullptr);
    if (kept) keep(std::move(spans));
  } catch (const std::bad_alloc&) {
    ++dropped_;
    return nullptr;
  }
  return kept ? &trace : nullptr;
}

void Tracer::enqueue(std::span<const FinishedSpan> spans) {
  if (!options_.exporter) return;
  if (queue_.size() + spans.size() <= options_.max_queued) {
    queue_.insert(queue_.end(), spans.begin(), spans.end());
  } else {
    dropped_ += spans.size();
  }
}

void Tracer::keep(std::vector<FinishedSpan> spans) {
  ++kept_;
  const std::lock_guard lock(mutex_);
  enqueue(spans);
  recent_.push_front(std::move(spans));
  if (recent_.size() > max_recent) recent_.pop_back();
}

void Tracer::keep_late(FinishedSpan step, const SpanId& request) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    enqueue({&step, 1});
    const auto found = std::ranges::find_if(recent_, [&](const auto& spans) { return spans.front().id == request; });
    if (found != recent_.end()) found->push_back(std::move(step));
  } catch (const std::bad_alloc&) {
    ++dropped_;
  }
}

Task<> Tracer::run() {
  while (true) {
    co_await sleep_for(pause);
    co_await flush();
  }
}

// Spans on their way to the exporter. Those that were not given to it go back, in front of the queue.
class Tracer::Batch {
public:
  // At most one exists.
  explicit Batch(Tracer& tracer) : tracer_(tracer) {
    const std::lock_guard lock(tracer.mutex_);
    const auto count = static_cast<std::ptrdiff_t>(std::min(tracer.queue_.size(), max_batch));
    const auto first = tracer.queue_.begin();
    spans_.assign(std::make_move_iterator(first), std::make_move_iterator(first + count));
    tracer.queue_.erase(first, first + count);
  }
  ~Batch() {
    if (spans_.empty()) return;
    try {
      const std::lock_guard lock(tracer_.mutex_);
      tracer_.queue_.insert(tracer_.queue_.begin(), spans_.begin(), spans_.end());
    } catch (const std::bad_alloc&) {
      tracer_.dropped_ += spans_.size();
    }
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::span<const FinishedSpan> spans() const noexcept { return spans_; }
  void end(const std::string& fault) {
    const std::size_t count = spans_.size();
    spans_.clear();
    (fault.empty() ? tracer_.exported_ : tracer_.dropped_) += count;
    if (!fault.empty()) tracer_.log_(LogLevel::Warning, std::to_string(count) + " spans were lost: " + fault);
  }

private:
  Tracer& tracer_;
  std::vector<FinishedSpan> spans_;
};

Task<> Tracer::flush() {
  if (!options_.exporter || exporting_.exchange(true)) co_return;
  struct End {
    ~End() { exporting = false; }
    std::atomic<bool>& exporting;
  };
  const End at_end{exporting_};
  while (true) {
    Batch batch(*this);
    if (batch.spans().empty()) break;
    std::string fault;
    auto send = [this, &batch, &fault] {
      try {
        options_.exporter->export_spans(batch.spans());
      } catch (const std::exception& error) {
        fault = error.what();
        if (fault.empty()) fault = "an error without a text";
      } catch (...) {
        fault = "an exception that is no std::exception";
      }
    };
    try {
      co_await offload(Priority::Low, send);
    } catch (const Overloaded&) {
      fault = "the thread pool has no room";
    }
    batch.end(fault);
  }
}

void Tracer::report(http::FigureSink& sink) const {
  sink.counter("tern_spans_exported", "Spans that were given to the exporter.", static_cast<double>(exported_));
  sink.counter("tern_spans_dropped", "Spans that were lost, since the exporter is slow or has failed.",
               static_cast<double>(dropped_));
}

std::vector<std::vector<FinishedSpan>> Tracer::recent() const {
  const std::lock_guard lock(mutex_);
  return {recent_.begin(), recent_.end()};
}

}  // namespace tern::observe
