// FigureBuffer: figures of several sources, put in order: those of one name follow each other.
#pragma once

#include <tern/http/observer.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::observe {

class FigureBuffer final : public http::FigureSink {
public:
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {}) override;
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {}) override;
  void histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum, Labels labels = {}) override;

  // A value: empty `counts`.
  struct Sample {
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;  // of a histogram, the sum
    std::vector<double> bounds = {};
    std::vector<std::uint64_t> counts = {};
  };
  enum class Kind : std::uint8_t { Counter, Gauge, Histogram };
  struct Family {
    Kind kind;
    std::string name;
    std::string help;
    std::vector<Sample> samples = {};
  };
  const std::vector<Family>& families() const noexcept { return families_; }

private:
  Sample& add(Kind kind, std::string_view name, std::string_view help, double value, Labels labels);
  std::vector<Family> families_;  // in the order of their first figures
};

}  // namespace tern::observe
