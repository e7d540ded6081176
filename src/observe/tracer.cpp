#include "observe/tracer.hpp"

#include "observe/trace_context.hpp"

#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/http/uri.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <random>
#include <utility>

namespace tern {
namespace observe {
namespace {

constexpr std::size_t max_steps = 128;   // of a request
constexpr std::size_t max_recent = 200;  // requests that /traces shows
constexpr std::size_t max_batch = 512;   // spans that are exported at once
constexpr Milliseconds pause = Seconds(1);

std::uint64_t unix_nanoseconds() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// SplitMix64.
std::uint64_t mixed(std::uint64_t number) noexcept {
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

template <class Bytes>
void fill(Bytes& bytes, std::size_t offset, std::uint64_t number) noexcept {
  if (number == 0) number = 1;  // ids are not zero
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

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

FinishedSpan request_span(const Request& request, const RequestTrace& trace, const http::RequestEnd* end) {
  FinishedSpan span;
  span.trace = trace.trace;
  span.id = trace.id;
  span.parent = trace.parent;
  span.is_request = true;
  if (trace.parent != SpanId{}) span.trace_state = request.field("tracestate").value_or("");
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
    auto& trace = exchange.arena().make<RequestTrace>();
    request.put(&trace);
    Random& random = random_[exchange.loop_index()];
    const auto received = request.field("traceparent");
    const auto parent = received ? parse_traceparent(*received) : std::nullopt;
    if (parent) {
      trace.trace = parent->trace;
      trace.parent = parent->parent;
    } else {
      fill(trace.trace, 0, random.next());
      fill(trace.trace, 8, random.next());
    }
    trace.next_id = random.next();
    fill(trace.id, 0, trace.next_id);
    trace.sampled = parent && options_.follow_parent ? parent->sampled : last_eight(trace.trace) < most_;
    const std::string text = hex(trace.trace);
    std::ranges::copy(text, trace.text.begin());
    request.set_trace_id({trace.text.data(), trace.text.size()});
  } catch (const std::bad_alloc&) {
  }
}

bool Tracer::is_kept(const RequestTrace& trace, const http::RequestEnd* end) const noexcept {
  if (trace.sampled) return true;
  if (end == nullptr) return false;
  if (options_.errors && code(end->status) >= 500) return true;
  const auto slow = static_cast<std::uint64_t>(options_.slow.count()) * 1'000'000;
  return slow != 0 && end->nanoseconds >= slow;
}

const RequestTrace* Tracer::end(Exchange& exchange, const http::RequestEnd* end) noexcept {
  RequestTrace** const found = exchange.request().find<RequestTrace*>();
  if (found == nullptr || !is_kept(**found, end)) return nullptr;
  RequestTrace& trace = **found;
  try {
    std::vector<FinishedSpan> spans;
    spans.push_back(request_span(exchange.request(), trace, end));
    const std::lock_guard lock(trace.mutex);
    std::ranges::move(trace.steps, std::back_inserter(spans));
    trace.steps.clear();
    keep(std::move(spans));
  } catch (const std::bad_alloc&) {
    ++dropped_;
    return nullptr;
  }
  return &trace;
}

void Tracer::keep(std::vector<FinishedSpan> spans) {
  ++kept_;
  const std::lock_guard lock(mutex_);
  if (options_.exporter && queue_.size() + spans.size() <= options_.max_queued) {
    queue_.insert(queue_.end(), spans.begin(), spans.end());
  } else if (options_.exporter) {
    dropped_ += spans.size();
  }
  recent_.push_front(std::move(spans));
  if (recent_.size() > max_recent) recent_.pop_back();
}

Task<> Tracer::run() {
  while (true) {
    co_await sleep_for(pause);
    co_await flush();
  }
}

// Until nothing is left. One at a time.
Task<> Tracer::flush() {
  if (!options_.exporter || exporting_.exchange(true)) co_return;
  while (true) {
    std::vector<FinishedSpan> batch;
    {
      const std::lock_guard lock(mutex_);
      const auto count = static_cast<std::ptrdiff_t>(std::min(queue_.size(), max_batch));
      batch.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.begin() + count));
      queue_.erase(queue_.begin(), queue_.begin() + count);
    }
    if (batch.empty()) break;
    std::string fault;
    auto send = [this, &batch, &fault] {
      try {
        options_.exporter->export_spans(batch);
      } catch (const std::exception& error) {
        fault = error.what();
        if (fault.empty()) fault = "an error without a text";
      }
    };
    try {
      co_await offload(Priority::Low, send);
    } catch (const Overloaded&) {
      fault = "the thread pool has no room";
    }
    (fault.empty() ? exported_ : dropped_) += batch.size();
    if (!fault.empty()) log_(LogLevel::Warning, std::to_string(batch.size()) + " spans were lost: " + fault);
  }
  exporting_ = false;
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

namespace {

RequestTrace* trace_of(const Request& request) noexcept {
  RequestTrace** const found = request.find<RequestTrace*>();
  return found == nullptr ? nullptr : *found;
}

}  // namespace
}  // namespace observe

Span::Span(const Request& request, std::string_view name) : trace_(observe::trace_of(request)) {
  if (trace_ != nullptr) *this = Span(*trace_, trace_->id, name);
}

Span::Span(observe::RequestTrace& trace, const SpanId& parent, std::string_view name) : trace_(&trace) {
  data_.trace = trace.trace;
  data_.parent = parent;
  data_.name = name;
  data_.start = observe::unix_nanoseconds();
  const std::lock_guard lock(trace.mutex);
  observe::fill(data_.id, 0, observe::mixed(++trace.next_id));
}

Span::Span(Span&& other) noexcept : trace_(std::exchange(other.trace_, nullptr)), data_(std::move(other.data_)) {}

Span& Span::operator=(Span&& other) noexcept {
  if (this == &other) return *this;
  if (data_.id != SpanId{}) end();
  trace_ = std::exchange(other.trace_, nullptr);
  data_ = std::move(other.data_);
  return *this;
}

Span Span::child(std::string_view name) const {
  return trace_ == nullptr ? Span() : Span(*trace_, data_.id, name);
}

void Span::add(std::string_view key, SpanValue value) {
  if (trace_ != nullptr) data_.attributes.emplace_back(key, std::move(value));
}

void Span::fail(std::string_view why) {
  data_.failed = true;
  data_.fault = why;
}

// Without memory, the step is missing.
void Span::end() noexcept {
  observe::RequestTrace* const trace = std::exchange(trace_, nullptr);
  if (trace == nullptr) return;
  data_.end = observe::unix_nanoseconds();
  try {
    const std::lock_guard lock(trace->mutex);
    if (trace->steps.size() < observe::max_steps) trace->steps.push_back(std::move(data_));
  } catch (const std::bad_alloc&) {
  }
}

std::string Span::traceparent() const {
  return trace_ == nullptr ? std::string() : observe::format_traceparent(data_.trace, data_.id, trace_->sampled);
}

TraceFields trace_fields(const Request& request) {
  TraceFields fields;
  if (const observe::RequestTrace* trace = observe::trace_of(request)) {
    fields.traceparent = observe::format_traceparent(trace->trace, trace->id, trace->sampled);
    if (trace->parent != SpanId{}) fields.tracestate = request.field("tracestate").value_or("");
  }
  fields.baggage = request.field("baggage").value_or("");
  return fields;
}

// name=value;property=…, next=…
std::optional<std::string> baggage(const Request& request, std::string_view name) {
  std::string_view rest = request.field("baggage").value_or("");
  const auto trimmed = [](std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
  };
  while (!rest.empty()) {
    const std::string_view member = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(member.size() + 1, rest.size()));
    const std::string_view pair = member.substr(0, member.find(';'));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || trimmed(pair.substr(0, equals)) != name) continue;
    const auto decoded = percent_decode(trimmed(pair.substr(equals + 1)), request.arena());
    return decoded ? std::optional(std::string(*decoded)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tern
