// Spans of the application, and the fields of a trace for other services.
#include "observe/trace.hpp"
#include "observe/trace_context.hpp"

#include <tern/http/exchange.hpp>
#include <tern/http/uri.hpp>

#include <algorithm>
#include <utility>

namespace tern {
namespace observe {
namespace {

// All contexts are StepContexts.
const StepContext* context_of(const Request& request) noexcept {
  return static_cast<const StepContext*>(request.exchange().work_context());
}
const StepContext* current_context() noexcept {
  return static_cast<const StepContext*>(coro::Context::current());
}

}  // namespace
}  // namespace observe

Span::Span(const Request& request, std::string_view name) {
  if (const observe::StepContext* context = observe::context_of(request)) begin(*context->trace(), context->id(), name);
}

Span::Span(std::string_view name) {
  if (const observe::StepContext* context = observe::current_context()) begin(*context->trace(), context->id(), name);
}

void Span::begin(observe::Trace& trace, const SpanId& parent, std::string_view name) {
  data_.trace = trace.trace;
  data_.parent = parent;
  data_.name = name;
  data_.start = observe::unix_nanoseconds();
  data_.id = trace.next_id();
  trace_ = &trace;
}

Span::Span(Span&& other) noexcept : trace_(std::exchange(other.trace_, nullptr)), data_(std::move(other.data_)) {}

Span& Span::operator=(Span&& other) noexcept {
  if (this == &other) return *this;
  end();
  trace_ = std::exchange(other.trace_, nullptr);
  data_ = std::move(other.data_);
  return *this;
}

Span Span::child(std::string_view name) const {
  Span child;
  if (trace_ != nullptr) child.begin(*trace_, data_.id, name);
  return child;
}

void Span::add(std::string_view key, SpanValue value) {
  if (trace_ != nullptr) data_.attributes.emplace_back(key, std::move(value));
}

void Span::fail(std::string_view why) {
  data_.failed = true;
  data_.fault = why;
}

void Span::end() noexcept {
  observe::Trace* const trace = std::exchange(trace_, nullptr);
  if (trace == nullptr) return;
  data_.end = observe::unix_nanoseconds();
  trace->add(std::move(data_));
}

std::string Span::traceparent() const {
  return trace_ == nullptr ? std::string() : observe::format_traceparent(data_.trace, data_.id, trace_->sampled);
}

TraceFields trace_fields(const Request& request) {
  TraceFields fields;
  if (const observe::StepContext* context = observe::context_of(request)) {
    const observe::Trace& trace = *context->trace();
    fields.traceparent = observe::format_traceparent(trace.trace, trace.id, trace.sampled);
    if (trace.parent != SpanId{}) fields.tracestate = request.field("tracestate").value_or("");
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
