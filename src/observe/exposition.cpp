#include "observe/exposition.hpp"

#include <tern/base/utf8.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace tern::observe {
namespace {

// Label values may come from clients. A scrape with one that is not UTF-8 would be refused as a whole, so bytes above
// ASCII are written as \xff then.
std::string as_utf8(std::string_view value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char each : value) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x80) {
      text += each;
    } else {
      text.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    }
  }
  return text;
}

// Escapes a backslash, a line feed and, in label values, a quote.
void append_escaped(std::string& out, std::string_view text, bool quoted) {
  for (const char byte : text) {
    if (byte == '\\') {
      out += "\\\\";
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '"' && quoted) {
      out += "\\\"";
    } else {
      out += byte;
    }
  }
}

std::string_view name_of(MetricKind kind) noexcept {
  switch (kind) {
    case MetricKind::Counter: return "counter";
    case MetricKind::Gauge: return "gauge";
    case MetricKind::Histogram: break;
  }
  return "histogram";
}

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

// A time, to the millisecond.
std::string fixed_text(double seconds) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 3).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

}  // namespace

std::string_view Exposition::content_type(TextFormat format) noexcept {
  return format == TextFormat::OpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                           : "text/plain; version=0.0.4; charset=utf-8";
}

// In OpenMetrics the name of a counter's family is without "_total".
void Exposition::family(MetricKind kind, std::string_view name, std::string_view help) {
  if (name_ == name) return;
  name_ = name;
  kind_ = kind;
  std::string full(name);
  if (kind == MetricKind::Counter && format_ == TextFormat::Prometheus) full += "_total";
  out_.append("# HELP ").append(full).append(" ");
  append_escaped(out_, help, format_ == TextFormat::OpenMetrics);
  out_.append("\n# TYPE ").append(full).append(" ").append(name_of(kind)).append("\n");
  if (format_ != TextFormat::OpenMetrics) return;
  for (const std::string_view unit : {"seconds", "bytes"}) {
    if (name.ends_with(unit)) out_.append("# UNIT ").append(full).append(" ").append(unit).append("\n");
  }
}

void Exposition::append_number(double value) {
  out_ += text_of(value);
}

// OpenMetrics writes bounds as floating-point numbers.
std::string Exposition::bound_text(double bound) const {
  std::string text = text_of(bound);
  const bool is_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  if (format_ == TextFormat::OpenMetrics && is_integer) text += ".0";
  return text;
}

void Exposition::sample(std::string_view suffix, Labels labels, std::string_view le, double value,
                        const Exemplar* exemplar) {
  out_.append(name_).append(suffix);
  char before = '{';
  for (const http::FigureLabel& label : labels) {
    out_ += before;
    out_.append(label.name).append("=\"");
    append_escaped(out_, base::is_utf8(label.value) ? label.value : as_utf8(label.value), true);
    out_ += '"';
    before = ',';
  }
  if (!le.empty()) {
    out_ += before;
    out_.append("le=\"").append(le).append("\"");
    before = ',';
  }
  if (before == ',') out_ += '}';
  out_ += ' ';
  append_number(value);
  if (exemplar != nullptr && !exemplar->trace.empty() && format_ == TextFormat::OpenMetrics) {
    out_.append(" # {trace_id=\"").append(exemplar->trace).append("\"} ");
    append_number(exemplar->value);
    out_ += ' ';
    out_ += fixed_text(exemplar->time);
  }
  out_ += '\n';
}

void Exposition::value(double value, Labels labels) {
  sample(kind_ == MetricKind::Counter ? "_total" : "", labels, {}, value);
}

void Exposition::buckets(std::span<const double> bounds, std::span<const std::uint64_t> counts, double sum,
                         Labels labels, std::span<const Exemplar> exemplars) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    sample("_bucket", labels, i < bounds.size() ? bound_text(bounds[i]) : "+Inf", static_cast<double>(total),
           i < exemplars.size() ? &exemplars[i] : nullptr);
  }
  sample("_sum", labels, {}, sum);
  sample("_count", labels, {}, static_cast<double>(total));
}

void Exposition::end() {
  if (format_ == TextFormat::OpenMetrics) out_ += "# EOF\n";
}

void Exposition::counter(std::string_view name, std::string_view help, double count, FigureSink::Labels labels) {
  family(MetricKind::Counter, name, help);
  value(count, labels);
}

void Exposition::gauge(std::string_view name, std::string_view help, double now, FigureSink::Labels labels) {
  family(MetricKind::Gauge, name, help);
  value(now, labels);
}

void Exposition::histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum, FigureSink::Labels labels) {
  family(MetricKind::Histogram, name, help);
  buckets(bounds, counts, sum, labels);
}

}  // namespace tern::observe
