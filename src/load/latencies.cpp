#include "load/latencies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tern::load {

Latencies::Latencies() {
  samples_.reserve(1U << 22U);
}

double Latencies::percentile(double share) {
  if (samples_.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(samples_.size()));
  const auto at = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(samples_.begin(), samples_.begin() + at, samples_.end());
  return static_cast<double>(samples_[static_cast<std::size_t>(at)]);
}

double Latencies::mean() const noexcept {
  if (samples_.empty()) return 0;
  return std::accumulate(samples_.begin(), samples_.end(), 0.0) / static_cast<double>(samples_.size());
}

}  // namespace tern::load
