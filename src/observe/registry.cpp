#include "observe/registry.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace tern::observe {
namespace {

constexpr std::array<double, 14> default_bounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                                   0.5,   0.75, 1,     2.5,  5,     7.5, 10};
constexpr std::string_view rest = "other";  // the label values of what exceeds the limits
constexpr std::size_t max_value_bytes = 256;

bool is_name(std::string_view name, bool colons) noexcept {
  const auto fits = [&](char byte) {
    return base::is_alpha(byte) || base::is_digit(byte) || byte == '_' || (colons && byte == ':');
  };
  return !name.empty() && !base::is_digit(name[0]) && std::ranges::all_of(name, fits);
}

[[noreturn]] void refuse(std::string_view name, std::string_view why) {
  throw std::invalid_argument("metric '" + std::string(name) + "': " + std::string(why));
}

void check(const Registry::Description& about) {
  if (!is_name(about.name, true)) refuse(about.name, "the name is not [a-zA-Z_:][a-zA-Z0-9_:]*");
  for (const std::string_view own : {"tern_", "http_server_", "db_client_", "process_"}) {
    if (about.name.starts_with(own)) refuse(about.name, "names that begin so are the server's");
  }
  for (const std::string_view suffix : {"_total", "_bucket", "_count", "_sum", "_created", "_info"}) {
    if (about.name.ends_with(suffix))
      refuse(about.name, "the name ends in " + std::string(suffix) + ", which is added");
  }
  if (about.help.empty()) refuse(about.name, "the help text is empty");
  for (std::size_t i = 0; i < about.labels.size(); ++i) {
    const std::string_view label = about.labels[i];
    if (!is_name(label, false) || label.starts_with("__") || label == "le" || label == "quantile") {
      refuse(about.name, "'" + std::string(label) + "' cannot name a label");
    }
    if (std::ranges::find(about.labels.first(i), label) != about.labels.first(i).end()) {
      refuse(about.name, "two labels have one name");
    }
  }
  const bool ascends = std::ranges::adjacent_find(about.bounds, std::ranges::greater_equal()) == about.bounds.end();
  if (!ascends || !std::ranges::all_of(about.bounds, [](double bound) { return std::isfinite(bound); })) {
    refuse(about.name, "the bounds of a histogram are numbers that ascend");
  }
  if (about.bounds.size() + 2 > Cells::chunk_size) refuse(about.name, "there are too many bounds");
  if (about.max_series == 0) refuse(about.name, "it needs at least one series");
}

std::size_t hash_of(std::span<const std::string_view> values) noexcept {
  std::size_t hash = 14695981039346656037U;  // FNV-1a
  for (const std::string_view value : values) {
    for (const char byte : value) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
    hash = (hash ^ 0xFFU) * 1099511628211U;
  }
  return hash ^ (hash >> 32U);
}

// The series, or the place for it.
std::atomic<FamilySeries*>& place_of(Family& family, std::span<const std::string_view> values) noexcept {
  const std::size_t mask = family.table.size() - 1;
  for (std::size_t at = hash_of(values) & mask;; at = (at + 1) & mask) {
    FamilySeries* series = family.table[at].load(std::memory_order_acquire);
    if (series == nullptr || std::ranges::equal(series->values, values)) return family.table[at];
  }
}

std::size_t cells_of(const Family& family) noexcept {
  return family.kind == MetricKind::Histogram ? family.bounds.size() + 2 : 1;
}

// With the family's lock.
FamilySeries& add_series(Family& family, std::span<const std::string_view> values) {
  Cells& cells = family.registry->cells();
  const std::uint32_t first = cells.allocate(cells_of(family));
  FamilySeries& series = family.series.emplace_back();
  series.cells = {&cells, first};
  series.family = &family;
  series.values.assign(values.begin(), values.end());
  return series;
}

// With the family's lock. The values may have a series already, as any others.
FamilySeries& rest_of(Family& family, std::size_t labels) {
  FamilySeries* series = family.rest.load(std::memory_order_relaxed);
  if (series != nullptr) return *series;
  const std::vector<std::string_view> values(labels, rest);
  series = place_of(family, values).load(std::memory_order_relaxed);
  if (series == nullptr) series = &add_series(family, values);
  place_of(family, values).store(series, std::memory_order_release);
  family.rest.store(series, std::memory_order_release);
  return *series;
}

}  // namespace

Series& series_of(Family& family, std::span<const std::string_view> values) {
  if (values.size() != family.labels.size()) {
    refuse(family.name, "it has " + std::to_string(family.labels.size()) + " labels, but " +
                            std::to_string(values.size()) + " values were given");
  }
  const bool fits = std::ranges::all_of(values, [](std::string_view one) { return one.size() <= max_value_bytes; });
  if (fits) {
    if (FamilySeries* series = place_of(family, values).load(std::memory_order_acquire)) return *series;
  }
  if (!fits || family.is_full.load(std::memory_order_acquire)) {
    if (FamilySeries* series = family.rest.load(std::memory_order_acquire)) return *series;
  }
  bool first_beyond = false;
  FamilySeries* result = nullptr;
  {
    const std::lock_guard lock(family.mutex);
    if (fits) result = place_of(family, values).load(std::memory_order_acquire);
    if (result == nullptr && fits && family.distinct < family.max_series) {
      result = &add_series(family, values);
      ++family.distinct;
      place_of(family, values).store(result, std::memory_order_release);
    } else if (result == nullptr) {
      result = &rest_of(family, values.size());
      first_beyond = fits && !family.is_full.exchange(true, std::memory_order_release);
    }
  }
  if (first_beyond) family.registry->overflowed(family);
  return *result;
}

Family& Registry::family(const Description& given) {
  Description about = given;
  if (about.kind == MetricKind::Histogram && about.bounds.empty()) about.bounds = default_bounds;
  check(about);
  const std::lock_guard lock(mutex_);
  for (Family& known : families_) {
    if (known.name != about.name) continue;
    const bool same = known.kind == about.kind && std::ranges::equal(known.labels, about.labels) &&
                      std::ranges::equal(known.bounds, about.bounds) && !known.read;
    if (!same) refuse(about.name, "there is another of that name");
    return known;
  }
  Family& family = families_.emplace_back();
  family.registry = this;
  family.kind = about.kind;
  family.name = about.name;
  family.help = about.help;
  family.labels.assign(about.labels.begin(), about.labels.end());
  family.bounds.assign(about.bounds.begin(), about.bounds.end());
  family.max_series = about.max_series;
  family.table = std::vector<std::atomic<FamilySeries*>>(std::bit_ceil(2 * about.max_series + 2));
  return family;
}

void Registry::on_overflow(base::Function<void(std::string_view, std::size_t)> call) {
  const std::lock_guard lock(mutex_);
  on_overflow_ = std::move(call);
}

void Registry::overflowed(const Family& family) noexcept {
  const std::lock_guard lock(mutex_);
  if (on_overflow_) on_overflow_(family.name, family.max_series);
}

bool Registry::write(Exposition& to, std::size_t from, std::size_t count) {
  for (std::size_t i = from; i < from + count; ++i) {
    Family* family = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (i >= families_.size()) return false;
      family = &families_[i];
    }
    write(to, *family);
  }
  return true;
}

void Registry::write(Exposition& to, Family& family) {
  const std::lock_guard lock(family.mutex);
  if (family.read) {
    try {
      const double value = family.read();
      to.family(family.kind, family.name, family.help);
      to.value(value, {});
    } catch (...) {  // left out, as its declaration says
    }
    return;
  }
  to.family(family.kind, family.name, family.help);
  std::vector<http::FigureLabel> labels(family.labels.size());
  std::vector<std::uint64_t> counts(family.bounds.size() + 1);
  for (FamilySeries& series : family.series) {
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = {family.labels[i], series.values[i]};
    Cells& cells = *series.cells.cells;
    const std::uint32_t first = series.cells.first;
    switch (family.kind) {
      case MetricKind::Counter: to.value(static_cast<double>(cells.sum(first)), labels); break;
      case MetricKind::Gauge: to.value(cells.sum_of_doubles(first), labels); break;
      case MetricKind::Histogram: {
        for (std::uint32_t i = 0; i < counts.size(); ++i) counts[i] = cells.sum(first + i);
        const auto sum = static_cast<std::uint32_t>(first + counts.size());
        to.buckets(family.bounds, counts, cells.sum_of_doubles(sum), labels);
        break;
      }
    }
  }
}

}  // namespace tern::observe
