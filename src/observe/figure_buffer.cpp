#include "observe/figure_buffer.hpp"

#include <algorithm>

namespace tern::observe {

FigureBuffer::Sample& FigureBuffer::add(Kind kind, std::string_view name, std::string_view help, double value,
                                        Labels labels) {
  auto family = std::ranges::find(families_, name, &Family::name);
  if (family == families_.end()) {
    families_.push_back({kind, std::string(name), std::string(help)});
    family = families_.end() - 1;
  }
  Sample& sample = family->samples.emplace_back();
  sample.value = value;
  for (const http::FigureLabel& label : labels) sample.labels.emplace_back(label.name, label.value);
  return sample;
}

void FigureBuffer::counter(std::string_view name, std::string_view help, double value, Labels labels) {
  add(Kind::Counter, name, help, value, labels);
}

void FigureBuffer::gauge(std::string_view name, std::string_view help, double value, Labels labels) {
  add(Kind::Gauge, name, help, value, labels);
}

void FigureBuffer::histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                             std::span<const std::uint64_t> counts, double sum, Labels labels) {
  Sample& sample = add(Kind::Histogram, name, help, sum, labels);
  sample.bounds.assign(bounds.begin(), bounds.end());
  sample.counts.assign(counts.begin(), counts.end());
}

}  // namespace tern::observe
