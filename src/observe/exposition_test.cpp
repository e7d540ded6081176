// The text formats, line by line.
#include "observe/exposition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace tern::observe {
namespace {

constexpr std::array<double, 2> bounds = {0.5, 1};
constexpr std::array<std::uint64_t, 3> counts = {3, 0, 1};

std::string written(TextFormat format) {
  std::string text;
  Exposition to(text, format);
  to.counter("requests", "How many.", 7, {{"path", "a\"b\\c\nd"}, {"kind", ""}});
  to.counter("requests", "How many.", 1e15, {{"path", "x"}, {"kind", "y"}});
  to.gauge("heat", "Line\nand \"quote\".", -0.25);
  to.histogram("wait_seconds", "Waiting.", bounds, counts, 2.75, {{"loop", "0"}});
  to.end();
  return text;
}

TEST(Exposition, writes_the_prometheus_format) {
  EXPECT_EQ(written(TextFormat::Prometheus), R"(# HELP requests_total How many.
# TYPE requests_total counter
requests_total{path="a\"b\\c\nd",kind=""} 7
requests_total{path="x",kind="y"} 1e+15
# HELP heat Line\nand "quote".
# TYPE heat gauge
heat -0.25
# HELP wait_seconds Waiting.
# TYPE wait_seconds histogram
wait_seconds_bucket{loop="0",le="0.5"} 3
wait_seconds_bucket{loop="0",le="1"} 3
wait_seconds_bucket{loop="0",le="+Inf"} 4
wait_seconds_sum{loop="0"} 2.75
wait_seconds_count{loop="0"} 4
)");
}

TEST(Exposition, writes_label_values_that_are_not_utf8_as_utf8) {
  std::string text;
  Exposition to(text, TextFormat::Prometheus);
  to.gauge("heat", "Heat.", 1, {{"one", "a\xFF\"\xC3"}, {"other", "\xC3\xA4"}});
  EXPECT_EQ(text, "# HELP heat Heat.\n# TYPE heat gauge\nheat{one=\"a\\\\xff\\\"\\\\xc3\",other=\"\xC3\xA4\"} 1\n");
}

TEST(Exposition, writes_openmetrics) {
  EXPECT_EQ(written(TextFormat::OpenMetrics), R"(# HELP requests How many.
# TYPE requests counter
requests_total{path="a\"b\\c\nd",kind=""} 7
requests_total{path="x",kind="y"} 1e+15
# HELP heat Line\nand \"quote\".
# TYPE heat gauge
heat -0.25
# HELP wait_seconds Waiting.
# TYPE wait_seconds histogram
# UNIT wait_seconds seconds
wait_seconds_bucket{loop="0",le="0.5"} 3
wait_seconds_bucket{loop="0",le="1.0"} 3
wait_seconds_bucket{loop="0",le="+Inf"} 4
wait_seconds_sum{loop="0"} 2.75
wait_seconds_count{loop="0"} 4
# EOF
)");
}

TEST(Exposition, writes_numbers_that_are_none) {
  std::string text;
  Exposition to(text, TextFormat::Prometheus);
  to.gauge("a", "A.", std::nan(""));
  to.gauge("b", "B.", std::numeric_limits<double>::infinity());
  to.gauge("c", "C.", -std::numeric_limits<double>::infinity());
  EXPECT_NE(text.find("\na NaN\n"), std::string::npos);
  EXPECT_NE(text.find("\nb +Inf\n"), std::string::npos);
  EXPECT_NE(text.find("\nc -Inf\n"), std::string::npos);
}

}  // namespace
}  // namespace tern::observe
