// Metrics of the application: counters, gauges and histograms, which /metrics shows beside the server's own.
//
//   auto orders = app.metrics().counter("shop_orders", "Orders that were placed.", {"country"});
//   app.post("/orders", [orders](tern::Json<Order> order) { orders.with(order->country).add(); … });
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/function.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace tern {

namespace observe {

class Cells;
struct Family;
class Registry;
class Observatory;

// A number of each loop and one of all other threads, in Cells.
struct CellRange {
  Cells* cells = nullptr;  // null: nothing is counted
  std::uint32_t first = 0;
};

struct Series {
  CellRange cells;
  const Family* family = nullptr;
};

// The series with these values of the labels. Throws std::invalid_argument unless there are as many as labels.
Series& series_of(Family& family, std::span<const std::string_view> values);

}  // namespace observe

// All of them are small handles, to be copied; they count nothing unless they are of an app's metrics(), which they
// must not outlive. Their functions may be called from any thread, do not wait, and take some nanoseconds: each loop
// has numbers of its own, which are summed when they are read.

// How often something has happened since the start.
class Counter {
public:
  Counter() noexcept = default;
  explicit Counter(observe::Series& series) noexcept : cells_(series.cells) {}
  void add(std::uint64_t count = 1) const noexcept;

private:
  observe::CellRange cells_;
};

// A value that goes up and down.
class Gauge {
public:
  Gauge() noexcept = default;
  explicit Gauge(observe::Series& series) noexcept : cells_(series.cells) {}
  void set(double value) const noexcept;
  void add(double change) const noexcept;

private:
  observe::CellRange cells_;
};

// How values are distributed, by bounds.
class Histogram {
public:
  Histogram() noexcept = default;
  explicit Histogram(observe::Series& series) noexcept : cells_(series.cells), family_(series.family) {}
  // NaN is not counted.
  void observe(double value) const noexcept;

private:
  observe::CellRange cells_;
  const observe::Family* family_ = nullptr;
};

// A metric with labels: one series for each combination of their values. Beyond the limit of series, all further
// combinations are counted in one, whose values are "other", and the error log says so once.
template <class M>
class Labelled {
public:
  explicit Labelled(observe::Family& family) noexcept : family_(&family) {}

  // One value for each label, in their order; keep the result where it does not change. Values should come from a small
  // set: never ids, paths or addresses. Throws std::invalid_argument for another number of values.
  template <class... V>
    requires(std::convertible_to<const V&, std::string_view> && ...)
  M with(const V&... values) const {
    const std::string_view all[] = {values...};
    return M(observe::series_of(*family_, all));
  }

private:
  observe::Family* family_;
};

// The metrics of an app: App::metrics(). They are registered before the start, or later, from any thread.
//
// Names are those of Prometheus ([a-zA-Z_:][a-zA-Z0-9_:]*), with the base unit behind ("shop_payment_seconds"), and
// without "_total", which /metrics adds to counters; `help` is one sentence. A name with another kind, labels or bounds
// than before, or of the server's ("tern_…", "http_server_…", "process_…"), throws std::invalid_argument; with the
// same, it is the same metric.
class Metrics {
public:
  using Labels = std::initializer_list<std::string_view>;
  static constexpr std::size_t default_series = 1000;

  Counter counter(std::string_view name, std::string_view help);
  Labelled<Counter> counter(std::string_view name, std::string_view help, Labels labels,
                            std::size_t max_series = default_series);
  Gauge gauge(std::string_view name, std::string_view help);
  Labelled<Gauge> gauge(std::string_view name, std::string_view help, Labels labels,
                        std::size_t max_series = default_series);
  // `read` is called whenever the metrics are, on a loop, never concurrently: it must not block. If it throws, the
  // gauge is left out.
  void gauge(std::string_view name, std::string_view help, base::Function<double()> read);
  // `bounds` ascend; empty: those for durations in seconds, from 5 ms to 10 s.
  Histogram histogram(std::string_view name, std::string_view help, std::initializer_list<double> bounds = {});
  Labelled<Histogram> histogram(std::string_view name, std::string_view help, Labels labels,
                                std::initializer_list<double> bounds = {}, std::size_t max_series = default_series);

private:
  friend class observe::Observatory;
  explicit Metrics(observe::Registry& registry) noexcept : registry_(&registry) {}
  observe::Registry* registry_;
};

}  // namespace tern
