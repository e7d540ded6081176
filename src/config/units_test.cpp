// Sizes, durations and the nearest right name.
#include "config/leaf.hpp"

#include <tern/config/type.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace tern::configuration {
namespace {

std::optional<std::uint64_t> size(std::string_view text, std::uint64_t most = UINT64_MAX) {
  std::uint64_t bytes = 0;
  if (!parse_size(text, most, bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::int64_t> milliseconds(std::string_view text) {
  std::int64_t ticks = 0;
  if (!parse_duration(text, 1, 1000, ticks)) return std::nullopt;
  return ticks;
}

TEST(Sizes, have_decimal_and_binary_units) {
  EXPECT_EQ(size("4096"), 4096U);
  EXPECT_EQ(size("16 MiB"), 16U * 1024 * 1024);
  EXPECT_EQ(size("16MiB"), 16U * 1024 * 1024);
  EXPECT_EQ(size("1.5 GB"), 1'500'000'000U);
  EXPECT_EQ(size("0.5 KiB"), 512U);
  EXPECT_EQ(size("10 B"), 10U);
  EXPECT_EQ(size("18446744073709551615"), UINT64_MAX);
}

TEST(Sizes, that_are_none_are_refused) {
  for (const char* text : {"", "MiB", "16 M", "16 mib", "-1", "+1", " 1", "1 ", "1.", ".5 kB", "0.3 B", "1e3",
                           "16 MiB ", "18446744073709551616", "99999999999 TiB", "1..5 kB", "12 MiB 3"}) {
    EXPECT_EQ(size(text), std::nullopt) << text;
  }
  EXPECT_EQ(size("64 KiB", 65535), std::nullopt);
}

TEST(Sizes, are_printed_with_the_largest_unit_that_fits) {
  const auto printed = [](std::uint64_t bytes) {
    std::string out;
    print_size(bytes, out);
    return out;
  };
  EXPECT_EQ(printed(0), "0");
  EXPECT_EQ(printed(1000), "1000");
  EXPECT_EQ(printed(10 * 1024), "10 KiB");
  EXPECT_EQ(printed(16ULL * 1024 * 1024), "16 MiB");
  EXPECT_EQ(printed(3ULL * 1024 * 1024 * 1024), "3 GiB");
}

TEST(Durations, have_units_and_parts) {
  EXPECT_EQ(milliseconds("30s"), 30'000);
  EXPECT_EQ(milliseconds("250ms"), 250);
  EXPECT_EQ(milliseconds("1m30s"), 90'000);
  EXPECT_EQ(milliseconds("1.5 h"), 5'400'000);
  EXPECT_EQ(milliseconds("1h 5m"), 3'900'000);
  EXPECT_EQ(milliseconds("2d"), 172'800'000);
  EXPECT_EQ(milliseconds("0"), 0);
}

TEST(Durations, without_a_unit_or_beyond_the_ticks_are_refused) {
  for (const char* text : {"", "30", "s", "-1s", "1 x", "1s2", "100us", "0.5ms", "1week", "300000000000000d"}) {
    EXPECT_EQ(milliseconds(text), std::nullopt) << text;
  }
  std::int64_t seconds = 0;
  EXPECT_FALSE(parse_duration("1500ms", 1, 1, seconds));
}

TEST(Durations, are_printed_with_the_largest_unit_that_fits) {
  const auto printed = [](std::int64_t ticks) {
    std::string out;
    print_duration(ticks, 1, 1000, out);
    return out;
  };
  EXPECT_EQ(printed(0), "0");
  EXPECT_EQ(printed(1500), "1500ms");
  EXPECT_EQ(printed(30'000), "30s");
  EXPECT_EQ(printed(90'000), "90s");
  EXPECT_EQ(printed(7'200'000), "2h");
}

TEST(NearestName, is_found_for_slips_only) {
  const std::vector<std::string> names = {"port", "host", "threads", "limits.max_connections"};
  EXPECT_EQ(nearest("prot", names), "port");
  EXPECT_EQ(nearest("thread", names), "threads");
  EXPECT_EQ(nearest("limits.max_conections", names), "limits.max_connections");
  EXPECT_EQ(nearest("max_connections", names), "limits.max_connections");
  EXPECT_EQ(nearest("colour", names), "");
  EXPECT_EQ(nearest(std::string(1000, 'x'), names), "");
}

}  // namespace
}  // namespace tern::configuration
