// Metrics as text: the Prometheus text format 0.0.4, or OpenMetrics 1.0.
//   https://prometheus.io/docs/instrumenting/exposition_formats/
//   https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
#pragma once

#include <tern/http/observer.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tern::observe {

enum class MetricKind : std::uint8_t { Counter, Gauge, Histogram };
enum class TextFormat : std::uint8_t { Prometheus, OpenMetrics };

// A request whose trace is kept, beside the bucket that it is counted in. OpenMetrics only.
struct Exemplar {
  std::string trace;  // its id; empty: none
  double value = 0;
  double time = 0;  // seconds since 1970
};

class Exposition final : public http::FigureSink {
public:
  using Labels = std::span<const http::FigureLabel>;

  Exposition(std::string& out, TextFormat format) noexcept : out_(out), format_(format) {}

  // Begins a family. Samples of it follow; a further call with the same name has no effect.
  void family(MetricKind kind, std::string_view name, std::string_view help);
  void value(double value, Labels labels);
  void buckets(std::span<const double> bounds, std::span<const std::uint64_t> counts, double sum, Labels labels,
               std::span<const Exemplar> exemplars = {});
  // Behind everything.
  void end();

  void counter(std::string_view name, std::string_view help, double value, FigureSink::Labels labels = {}) override;
  void gauge(std::string_view name, std::string_view help, double value, FigureSink::Labels labels = {}) override;
  void histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum, FigureSink::Labels labels = {}) override;

  static std::string_view content_type(TextFormat format) noexcept;

private:
  void sample(std::string_view suffix, Labels labels, std::string_view le, double value,
              const Exemplar* exemplar = nullptr);
  void append_number(double value);
  std::string bound_text(double bound) const;

  std::string& out_;
  TextFormat format_;
  MetricKind kind_ = MetricKind::Counter;
  std::string name_;  // of the family
};

}  // namespace tern::observe
