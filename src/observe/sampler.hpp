// What the dashboard shows: one moment each second, of which the last minutes are kept, and the figures of now.
#pragma once

#include "observe/request_metrics.hpp"

#include <tern/http/observer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::observe {

// What has happened in a second, and what is at its end.
struct Moment {
  std::int64_t time = 0;               // in milliseconds since 1970
  double seconds = 0;                  // since the one before
  std::vector<std::uint64_t> buckets;  // requests by RequestMetrics::bounds
  std::array<std::uint64_t, RequestMetrics::classes> statuses = {};
  double active = 0;  // requests in flight
  double connections = 0;
  double websockets = 0;
  std::vector<double> busy;  // the share of each loop
  double lag = 0;            // at most so many milliseconds was a loop busy at a time; a bound of the histogram
  double cpu = 0;            // processors
  double memory = 0;         // resident bytes
  double pool_queued = 0;
  double pool_running = 0;
  double refused = 0;
};

// A method, route and class of status, since the start.
struct RouteTotals {
  std::string method;
  std::string route;  // empty: none
  int status_class = 0;
  std::vector<std::uint64_t> buckets;
};

// Writes all figures down by their names and labels.
class FigureMap final : public http::FigureSink {
public:
  void counter(std::string_view name, std::string_view help, double value, Labels labels) override;
  void gauge(std::string_view name, std::string_view help, double value, Labels labels) override;
  void histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum, Labels labels) override;
  std::map<std::string, double> take() { return std::move(all_); }

private:
  void add(std::string_view name, double value, Labels labels);
  std::map<std::string, double> all_;
};

class Sampler {
public:
  static constexpr std::size_t max_moments = 300;

  // Takes a moment. One at a time, on any thread.
  void take(const RequestMetrics& requests, const http::ServerView& server);
  void clear();

  // From any thread.
  std::vector<Moment> moments() const;
  // Empty before the first.
  std::vector<Moment> last() const;
  // Figures by "name{label=value}"; histograms by their count and sum. `report` is called with a sink for them.
  template <class F>
  static std::map<std::string, double> figures(F&& report) {
    FigureMap map;
    report(static_cast<http::FigureSink&>(map));
    return map.take();
  }
  // Of the `max` routes with most requests.
  static std::vector<RouteTotals> routes(const RequestMetrics& requests, std::size_t max);

private:
  // Since the start of the server.
  struct Sums {
    std::vector<std::uint64_t> buckets;
    std::array<std::uint64_t, RequestMetrics::classes> statuses = {};
    std::vector<double> busy;               // seconds of each loop
    std::vector<std::uint64_t> iterations;  // by the bounds of their durations
    double cpu = 0;                         // seconds
    double refused = 0;
  };
  class Reader;

  Sums before_;
  std::uint64_t taken_ = 0;   // nanoseconds; 0: never
  mutable std::mutex mutex_;  // for the next
  std::deque<Moment> moments_;
};

}  // namespace tern::observe
