#include "observe/sampler.hpp"

#include <tern/base/number.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>

namespace tern::observe {
namespace {

std::uint64_t nanoseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::int64_t unix_milliseconds() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

double cpu_seconds() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The second number of proc(5)'s statm is in pages.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::string all;
  std::string resident;
  file >> all >> resident;
  const auto pages = base::parse_integer<std::uint64_t>(resident).value_or(0);
  return double(pages) * double(::sysconf(_SC_PAGESIZE));
}

template <class T>
std::vector<T> minus(std::vector<T> now, const std::vector<T>& before) {
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) now[i] -= before[i];
  return now;
}

}  // namespace

void FigureMap::counter(std::string_view name, std::string_view, double value, Labels labels) {
  add(name, value, labels);
}

void FigureMap::gauge(std::string_view name, std::string_view, double value, Labels labels) {
  add(name, value, labels);
}

void FigureMap::histogram(std::string_view name, std::string_view, std::span<const double>,
                          std::span<const std::uint64_t> counts, double sum, Labels labels) {
  double count = 0;
  for (const std::uint64_t one : counts) count += double(one);
  add(std::string(name) + "_count", count, labels);
  add(std::string(name) + "_sum", sum, labels);
}

void FigureMap::add(std::string_view name, double value, Labels labels) {
  std::string key(name);
  for (const http::FigureLabel& label : labels) {
    key.append(key.size() == name.size() ? "{" : ",").append(label.name).append("=").append(label.value);
  }
  if (key.size() != name.size()) key += '}';
  all_[std::move(key)] = value;
}

// Picks what a moment has from the figures of a server.
class Sampler::Reader final : public http::FigureSink {
public:
  Reader(Moment& moment, Sums& sums) : moment_(moment), sums_(sums) {}

  void counter(std::string_view name, std::string_view, double value, Labels) override {
    if (name == "tern_refusals") sums_.refused += value;
  }
  void gauge(std::string_view name, std::string_view, double value, Labels labels) override {
    if (name == "http_server_active_requests") moment_.active += value;
    if (name == "tern_connections") {
      const bool is_socket = labels.begin()->value == "websocket";
      (is_socket ? moment_.websockets : moment_.connections) += value;
    }
    if (name == "tern_pool_queued_jobs") moment_.pool_queued = value;
    if (name == "tern_pool_running_jobs") moment_.pool_running = value;
  }
  void histogram(std::string_view name, std::string_view, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum, Labels) override {
    if (name != "tern_loop_iteration_duration_seconds") return;
    sums_.busy.push_back(sum);
    sums_.iterations.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) sums_.iterations[i] += counts[i];
    bounds_.assign(bounds.begin(), bounds.end());
  }

  // The upper bound of the longest iteration, in milliseconds; of those without a bound, the last bound.
  double lag(const std::vector<std::uint64_t>& iterations) const {
    for (std::size_t i = iterations.size(); i-- > 0;) {
      if (iterations[i] != 0 && !bounds_.empty()) return bounds_[std::min(i, bounds_.size() - 1)] * 1e3;
    }
    return 0;
  }

private:
  Moment& moment_;
  Sums& sums_;
  std::vector<double> bounds_;
};

void Sampler::take(const RequestMetrics& requests, const http::ServerView& server) {
  Moment moment;
  Sums sums;
  sums.buckets.resize(RequestMetrics::bounds.size() + 1);
  for (std::size_t slot = 0; slot < requests.size(); ++slot) {
    const RequestMetrics::Totals totals = requests.totals(slot);
    if (!totals.any) continue;
    for (std::size_t i = 0; i < totals.buckets.size(); ++i) {
      sums.buckets[i] += totals.buckets[i];
      sums.statuses[slot % RequestMetrics::classes] += totals.buckets[i];
    }
  }
  Reader reader(moment, sums);
  server.report(reader);
  sums.cpu = cpu_seconds();
  const std::uint64_t now = nanoseconds();
  const double seconds = taken_ == 0 ? 0 : double(now - std::exchange(taken_, now)) * 1e-9;
  taken_ = now;
  const Sums before = std::exchange(before_, sums);
  if (seconds == 0) return;
  moment.time = unix_milliseconds();
  moment.seconds = seconds;
  moment.buckets = minus(std::move(sums.buckets), before.buckets);
  for (std::size_t i = 0; i < sums.statuses.size(); ++i) moment.statuses[i] = sums.statuses[i] - before.statuses[i];
  moment.busy = minus(std::move(sums.busy), before.busy);
  for (double& busy : moment.busy) busy = std::clamp(busy / seconds, 0.0, 1.0);
  moment.lag = reader.lag(minus(std::move(sums.iterations), before.iterations));
  moment.cpu = (sums.cpu - before.cpu) / seconds;
  moment.memory = resident_bytes();
  moment.refused = sums.refused - before.refused;
  const std::lock_guard lock(mutex_);
  moments_.push_back(std::move(moment));
  if (moments_.size() > max_moments) moments_.pop_front();
}

void Sampler::clear() {
  before_ = {};
  taken_ = 0;
  const std::lock_guard lock(mutex_);
  moments_.clear();
}

std::vector<Moment> Sampler::moments() const {
  const std::lock_guard lock(mutex_);
  return {moments_.begin(), moments_.end()};
}

std::vector<Moment> Sampler::last() const {
  const std::lock_guard lock(mutex_);
  return moments_.empty() ? std::vector<Moment>() : std::vector<Moment>{moments_.back()};
}

std::vector<RouteTotals> Sampler::routes(const RequestMetrics& requests, std::size_t max) {
  struct Row {
    std::size_t slot;
    std::uint64_t count;
    RequestMetrics::Totals totals;
  };
  std::vector<Row> rows;
  for (std::size_t slot = 0; slot < requests.size(); ++slot) {
    Row row{slot, 0, requests.totals(slot)};
    for (const std::uint64_t one : row.totals.buckets) row.count += one;
    if (row.count != 0) rows.push_back(row);
  }
  std::ranges::sort(rows, std::ranges::greater(), &Row::count);
  if (rows.size() > max) rows.resize(max);
  std::vector<RouteTotals> routes;
  for (const Row& row : rows) {
    routes.push_back({requests.method_of(row.slot),
                      requests.route_of(row.slot),
                      static_cast<int>(row.slot % RequestMetrics::classes) + 1,
                      {row.totals.buckets.begin(), row.totals.buckets.end()}});
  }
  return routes;
}

}  // namespace tern::observe
