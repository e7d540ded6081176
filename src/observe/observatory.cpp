#include "observe/observatory.hpp"

#include "observe/exposition.hpp"
#include "observe/figure_buffer.hpp"
#include "observe/process_figures.hpp"

#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace tern::observe {
namespace {

constexpr std::size_t at_once = 100;  // series that are written before others may run

// Empty if the pool has no room, and the figures are left out.
Task<std::string> process_text(TextFormat format) {
  auto read = [format] {
    std::string text;
    Exposition to(text, format);
    report_process(to);
    return text;
  };
  try {
    co_return co_await offload(Priority::High, read);
  } catch (const Overloaded&) {
  }
  co_return std::string();
}

}  // namespace

Observatory::Observatory() : health_([this](LogLevel level, std::string_view line) { log(level, line); }) {
  registry_.on_overflow([this](std::string_view name, std::size_t limit) {
    log(LogLevel::Warning, "metric '" + std::string(name) + "' has reached its limit of " + std::to_string(limit) +
                               " series: all others are counted as \"other\"");
  });
}

void Observatory::add_dashboard(Milliseconds slow) {
  sampler_ = std::make_unique<Sampler>();
  slow_ = slow;
}

void Observatory::on_complete(std::vector<http::ObservedRoute> routes) {
  if (sampler_ && !tracer_) trace({.ratio = 0, .follow_parent = false, .slow = slow_});
  routes_ = std::move(routes);
  requests_.set_routes(routes_, admin_listener);
}

void Observatory::on_start(http::ServerView& server) {
  registry_.cells().prepare(server.loops());
  requests_.prepare(server.loops());
  if (tracer_) tracer_->prepare(server.loops());
  if (sampler_) sampler_->clear();
  errors_.clear();
  const std::lock_guard lock(mutex_);
  server_ = &server;
}

void Observatory::trace(TracingOptions options) {
  tracer_ =
      std::make_unique<Tracer>(std::move(options), [this](LogLevel level, std::string_view line) { log(level, line); });
}

void Observatory::on_stop() noexcept {
  const std::lock_guard lock(mutex_);
  server_ = nullptr;
}

void Observatory::log(LogLevel level, std::string_view line) noexcept {
  const std::lock_guard lock(mutex_);
  if (server_ != nullptr) server_->log(level, line);
}

void Observatory::on_error(Exchange& exchange, std::string_view text) noexcept {
  if (!sampler_) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const Request& request = exchange.request();
  errors_.count(text, request.method_name(), request.route(),
                std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

void Observatory::report_sources(http::FigureSink& sink) {
  const std::lock_guard lock(sources_mutex_);
  for (const auto& source : sources_) {
    try {
      source(sink);
    } catch (const std::exception& error) {
      log(LogLevel::Error, std::string("figures are left out, since their source has failed: ") + error.what());
    } catch (...) {
      log(LogLevel::Error, "figures are left out, since their source has failed");
    }
  }
}

void Observatory::write_sources(Exposition& to) {
  FigureBuffer buffer;
  report_sources(buffer);
  std::vector<http::FigureLabel> labels;
  for (const FigureBuffer::Family& family : buffer.families()) {
    constexpr MetricKind kinds[] = {MetricKind::Counter, MetricKind::Gauge, MetricKind::Histogram};
    to.family(kinds[static_cast<std::size_t>(family.kind)], family.name, family.help);
    for (const FigureBuffer::Sample& sample : family.samples) {
      labels.clear();
      for (const auto& [name, value] : sample.labels) labels.push_back({name, value});
      if (sample.counts.empty()) {
        to.value(sample.value, labels);
      } else {
        to.buckets(sample.bounds, sample.counts, sample.value, labels);
      }
    }
  }
}

Task<Response> Observatory::exposition(const Request& request) {
  const bool open = request.accepts({"text/plain", "application/openmetrics-text"}) == "application/openmetrics-text";
  const TextFormat format = open ? TextFormat::OpenMetrics : TextFormat::Prometheus;
  std::string text;
  Exposition to(text, format);
  using Figure = RequestMetrics::Figure;
  for (const Figure figure : {Figure::Duration, Figure::RequestBytes, Figure::ResponseBytes}) {
    for (std::size_t next = 0; next < requests_.size();) {
      const std::size_t size_before = text.size();
      next = requests_.write(to, figure, next, at_once);
      if (text.size() != size_before) co_await yield();
    }
  }
  if (server_ != nullptr) server_->report(to);
  if (tracer_) tracer_->report(to);
  write_sources(to);
  std::size_t family = 0;
  while (registry_.write(to, family, 1)) {
    ++family;
    if (family % 16 == 0) co_await yield();
  }
  text += co_await process_text(format);
  to.end();
  co_return Response::bytes(Exposition::content_type(format), std::move(text));
}

}  // namespace tern::observe
