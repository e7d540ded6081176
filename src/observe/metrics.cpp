#include <tern/observe/metrics.hpp>

#include "observe/registry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>

namespace tern {

using observe::Family;
using observe::MetricKind;

void Counter::add(std::uint64_t count) const noexcept {
  if (cells_.cells != nullptr) cells_.cells->own(cells_.first).fetch_add(count, std::memory_order_relaxed);
}

void Gauge::set(double value) const noexcept {
  if (cells_.cells == nullptr) return;
  cells_.cells->shared(cells_.first).store(std::bit_cast<std::uint64_t>(value), std::memory_order_relaxed);
}

void Gauge::add(double change) const noexcept {
  if (cells_.cells != nullptr) observe::Cells::add_double(cells_.cells->shared(cells_.first), change);
}

void Histogram::observe(double value) const noexcept {
  if (cells_.cells == nullptr || std::isnan(value)) return;
  const auto& bounds = family_->bounds;
  const auto bucket = static_cast<std::uint32_t>(std::ranges::lower_bound(bounds, value) - bounds.begin());
  cells_.cells->own(cells_.first + bucket).fetch_add(1, std::memory_order_relaxed);
  const auto sum = static_cast<std::uint32_t>(cells_.first + bounds.size() + 1);
  observe::Cells::add_double(cells_.cells->own(sum), value);
}

Counter Metrics::counter(std::string_view name, std::string_view help) {
  return Counter(series_of(registry_->family({MetricKind::Counter, name, help}), {}));
}

Labelled<Counter> Metrics::counter(std::string_view name, std::string_view help, Labels labels,
                                   std::size_t max_series) {
  return Labelled<Counter>(registry_->family({MetricKind::Counter, name, help, labels, {}, max_series}));
}

Gauge Metrics::gauge(std::string_view name, std::string_view help) {
  return Gauge(series_of(registry_->family({MetricKind::Gauge, name, help}), {}));
}

Labelled<Gauge> Metrics::gauge(std::string_view name, std::string_view help, Labels labels, std::size_t max_series) {
  return Labelled<Gauge>(registry_->family({MetricKind::Gauge, name, help, labels, {}, max_series}));
}

void Metrics::gauge(std::string_view name, std::string_view help, base::Function<double()> read) {
  Family& family = registry_->family({MetricKind::Gauge, name, help});
  const std::lock_guard lock(family.mutex);
  family.read = std::move(read);
}

Histogram Metrics::histogram(std::string_view name, std::string_view help, std::initializer_list<double> bounds) {
  return Histogram(series_of(registry_->family({MetricKind::Histogram, name, help, {}, bounds}), {}));
}

Labelled<Histogram> Metrics::histogram(std::string_view name, std::string_view help, Labels labels,
                                       std::initializer_list<double> bounds, std::size_t max_series) {
  return Labelled<Histogram>(registry_->family({MetricKind::Histogram, name, help, labels, bounds, max_series}));
}

}  // namespace tern
