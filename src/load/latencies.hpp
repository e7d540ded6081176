// The latencies of a load, in microseconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace tern::load {

class Latencies {
public:
  Latencies();

  void add(std::chrono::steady_clock::duration latency) {
    samples_.push_back(std::chrono::duration<float, std::micro>(latency).count());
  }
  void clear() noexcept { samples_.clear(); }
  std::size_t size() const noexcept { return samples_.size(); }

  // The smallest sample that at least this share (0 to 1) does not exceed. 0 without samples.
  double percentile(double share);
  double mean() const noexcept;

private:
  std::vector<float> samples_;
};

}  // namespace tern::load
