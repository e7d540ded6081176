#include "command/bench.hpp"

#include <tern/json/json.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

namespace tern::command {
namespace {

using load::LoadOptions;
using load::LoadReport;

struct JsonLatency {
  double mean;
  double p50;
  double p90;
  double p99;
  double p999;
  double max;
};

struct JsonReport {
  std::string url;
  std::string protocol;
  std::uint64_t connections;
  std::uint64_t streams;  // of each connection
  double rate;            // 0: none was asked for
  double seconds;
  std::uint64_t requests;
  double requests_per_second;
  std::uint64_t received_bytes;
  std::uint64_t errors;
  std::string last_error;
  std::uint64_t unanswered;
  std::uint64_t status_2xx;
  std::uint64_t status_3xx;
  std::uint64_t status_4xx;
  std::uint64_t status_5xx;
  JsonLatency latency_microseconds;
};

double per_second(const LoadReport& report) {
  return report.seconds > 0 ? static_cast<double>(report.requests) / report.seconds : 0;
}

std::string number(const char* format, double value) {
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), format, value);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string as_bytes(double bytes) {
  constexpr std::array<const char*, 4> units = {"%.0f bytes", "%.1f KiB", "%.1f MiB", "%.1f GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return number(units[unit], bytes);
}

std::string as_time(double microseconds) {
  if (microseconds < 1000) return number("%.0f us", microseconds);
  if (microseconds < 1'000'000) return number("%.2f ms", microseconds / 1000);
  return number("%.2f s", microseconds / 1'000'000);
}

std::string statuses(const LoadReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    if (report.classes[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(i) + "xx " + std::to_string(report.classes[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string as_text(const LoadOptions& options, const LoadReport& report) {
  std::string text = options.url + ", " + std::to_string(options.connections) + " connections, ";
  if (options.http2) text += "HTTP/2 with " + std::to_string(options.streams) + " at a time, ";
  text += number("%.1f s, ", report.seconds);
  text += options.rate > 0 ? number("%.6g requests a second", options.rate) : "as fast as responses come";
  text += "\n\nrequests    " + std::to_string(report.requests) + number("  (%.0f a second)", per_second(report));
  text += "\nreceived    " + as_bytes(static_cast<double>(report.received_bytes));
  text += "\nstatuses    " + statuses(report);
  text += "\nerrors      " + std::to_string(report.errors);
  if (report.errors > 0) text += "  (the last: " + report.last_error + ")";
  if (report.unanswered > 0) text += "\nunanswered  " + std::to_string(report.unanswered);
  text += "\nlatency     mean " + as_time(report.mean);
  text += ", p50 " + as_time(report.p50) + ", p90 " + as_time(report.p90) + ", p99 " + as_time(report.p99);
  text += ", p99.9 " + as_time(report.p999) + ", max " + as_time(report.max) + "\n";
  return text;
}

std::string as_json(const LoadOptions& options, const LoadReport& report) {
  return json::to_string(JsonReport{options.url,
                                    options.http2 ? "HTTP/2" : "HTTP/1.1",
                                    options.connections,
                                    options.http2 ? options.streams : 1,
                                    options.rate,
                                    report.seconds,
                                    report.requests,
                                    per_second(report),
                                    report.received_bytes,
                                    report.errors,
                                    report.last_error,
                                    report.unanswered,
                                    report.classes[2],
                                    report.classes[3],
                                    report.classes[4],
                                    report.classes[5],
                                    {report.mean, report.p50, report.p90, report.p99, report.p999, report.max}}) +
         "\n";
}

}  // namespace tern::command
