// The metrics of an app: families by name, each with its series by label values.
#pragma once

#include "observe/cells.hpp"
#include "observe/exposition.hpp"

#include <tern/observe/metrics.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::observe {

// Cells of a series: a counter or gauge has one; a histogram one for each bound and one beyond, then the sum as a
// double. A gauge is a double in the shared cell.
struct FamilySeries : Series {
  std::vector<std::string> values;
};

struct Family {
  Registry* registry = nullptr;
  MetricKind kind = MetricKind::Counter;
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  std::vector<double> bounds;
  base::Function<double()> read;  // of a gauge without cells

  // An open-addressing table, read without a lock; a series is never removed.
  std::vector<std::atomic<FamilySeries*>> table;
  std::size_t max_series = 1;
  std::mutex mutex;  // for the next
  std::deque<FamilySeries> series;
  std::size_t distinct = 0;  // as far as `max_series` counts them
  // Has the rest, and values that are too long. Null: none yet. Once `is_full`, no series is added.
  std::atomic<FamilySeries*> rest = nullptr;
  std::atomic<bool> is_full = false;
};

class Registry {
public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  struct Description {
    MetricKind kind = MetricKind::Counter;
    std::string_view name;
    std::string_view help;
    std::span<const std::string_view> labels = {};
    std::span<const double> bounds = {};
    std::size_t max_series = 1;
  };
  // Throws std::invalid_argument.
  Family& family(const Description& description);

  Cells& cells() noexcept { return cells_; }
  // All families in the order of registration, those of `from` on, at most `count`. Returns whether there are more.
  bool write(Exposition& to, std::size_t from, std::size_t count);
  // Called once for each family that has reached its limit of series, from any thread.
  void on_overflow(base::Function<void(std::string_view family, std::size_t limit)> call);
  void overflowed(const Family& family) noexcept;

private:
  static void write(Exposition& to, Family& family);

  Cells cells_;
  std::mutex mutex_;  // for the next two
  std::deque<Family> families_;
  base::Function<void(std::string_view, std::size_t)> on_overflow_;
};

}  // namespace tern::observe
