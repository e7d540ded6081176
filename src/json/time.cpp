// Points of time as RFC 3339 texts, section 5.6:
//
//   date-time     = full-date "T" full-time
//   full-date     = 4DIGIT "-" 2DIGIT "-" 2DIGIT
//   full-time     = 2DIGIT ":" 2DIGIT ":" 2DIGIT [ "." 1*DIGIT ] ( "Z" / ( "+" / "-" ) 2DIGIT ":" 2DIGIT )
//
// "T" and "Z" may be lower-case. Second 60 exists only as the last second of a month in UTC.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/json/reader.hpp>
#include <tern/json/writer.hpp>

#include "json/formats.hpp"

namespace tern::json::detail {

namespace {

__extension__ using Wide = __int128;  // ticks of any period times any 64-bit count

constexpr std::int64_t first_second = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t last_second = 253'402'300'799;   // 9999-12-31T23:59:59Z

Wide floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

// How many decimals show a fraction of a second in units of 1/denominator: as many as make it exact, or 9.
int decimals_for(std::int64_t denominator) {
  Wide power = 1;
  for (int digits = 0; digits <= 18; ++digits, power *= 10) {
    if (power % denominator == 0) return digits;
  }
  return 9;
}

void append_seconds(std::string& out, std::int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  base::append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out.push_back('-');
  base::append_padded(out, static_cast<unsigned>(date.month()), 2);
  out.push_back('-');
  base::append_padded(out, static_cast<unsigned>(date.day()), 2);
  out.push_back('T');
  base::append_padded(out, static_cast<unsigned>(clock.hours().count()), 2);
  out.push_back(':');
  base::append_padded(out, static_cast<unsigned>(clock.minutes().count()), 2);
  out.push_back(':');
  base::append_padded(out, static_cast<unsigned>(clock.seconds().count()), 2);
}

// Seconds since 1970 and the decimals behind them.
struct Moment {
  std::int64_t seconds;
  std::string_view decimals;
};

// Takes exactly `count` digits off the text.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(0, count)) {
    if (!base::is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  text.remove_prefix(count);
  return value;
}

// Takes digits that a separator follows.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count, char separator) {
  const auto value = take_digits(text, count);
  if (!value || text.empty() || base::to_lower(text.front()) != separator) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

// Minutes east of UTC, from what is left of the text.
std::optional<int> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const bool west = text.front() == '-';
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2, ':');
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  const int offset = static_cast<int>(*hours * 60 + *minutes);
  return west ? -offset : offset;
}

std::string_view take_decimals(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && base::is_digit(text[length])) ++length;
  const std::string_view decimals = text.substr(0, length);
  text.remove_prefix(length);
  return decimals;
}

bool ends_a_month(std::int64_t seconds) {
  const std::chrono::sys_seconds next{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(next);
  return next == day && std::chrono::year_month_day(day).day() == std::chrono::day(1);
}

// Takes a date that exists, without what follows it.
std::optional<std::chrono::year_month_day> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4, '-');
  const auto month = year ? take_digits(text, 2, '-') : std::nullopt;
  const auto day = month ? take_digits(text, 2) : std::nullopt;
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return date;
}

std::optional<Moment> parse_time(std::string_view text) {
  const auto date = take_date(text);
  if (!date || text.empty() || base::to_lower(text.front()) != 't') return std::nullopt;
  text.remove_prefix(1);
  const auto hour = take_digits(text, 2, ':');
  const auto minute = hour ? take_digits(text, 2, ':') : std::nullopt;
  const auto second = minute ? take_digits(text, 2) : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  std::string_view decimals;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimals = take_decimals(text);
    if (decimals.empty()) return std::nullopt;
  }
  const auto offset = parse_offset(text);
  if (!offset) return std::nullopt;
  const auto local = std::chrono::sys_days(*date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                     std::chrono::seconds(*second);
  const std::int64_t seconds = (local - std::chrono::minutes(*offset)).time_since_epoch().count();
  if (*second == 60 && !ends_a_month(seconds)) return std::nullopt;
  return Moment{seconds, decimals};
}

// The decimals in units of 1/denominator, rounded down.
Wide fraction_in(std::string_view decimals, std::int64_t denominator) {
  Wide value = 0;
  Wide power = 1;
  for (const char c : decimals.substr(0, 18)) {
    value = value * 10 + (c - '0');
    power *= 10;
  }
  return value * denominator / power;
}

}  // namespace

void write_time(Writer& writer, std::int64_t ticks, std::int64_t numerator, std::int64_t denominator) {
  const Wide units = Wide{ticks} * numerator;
  const Wide seconds = floor_divide(units, denominator);
  if (seconds < first_second || seconds > last_second) return writer.null();
  std::string text;
  append_seconds(text, static_cast<std::int64_t>(seconds));
  if (const int digits = decimals_for(denominator); digits > 0) {
    Wide rest = units - seconds * denominator;
    text.push_back('.');
    for (int i = 0; i < digits; ++i) {
      rest *= 10;
      text.push_back(static_cast<char>('0' + static_cast<int>(rest / denominator)));
      rest %= denominator;
    }
  }
  text.push_back('Z');
  writer.text(text);
}

bool is_date(std::string_view text) {
  return take_date(text).has_value() && text.empty();
}

bool is_date_time(std::string_view text) {
  return parse_time(text).has_value();
}

bool read_time(Reader& reader, std::int64_t numerator, std::int64_t denominator, std::int64_t& ticks) {
  std::string_view text;
  if (!reader.text(text)) return false;
  const auto moment = parse_time(text);
  if (!moment) {
    reader.fail("expected date and time as in 2024-12-31T23:59:59Z", "format", R"("date-time")");
    return false;
  }
  const Wide units = Wide{moment->seconds} * denominator + fraction_in(moment->decimals, denominator);
  const Wide value = floor_divide(units, numerator);
  if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::int64_t>::max()) {
    reader.fail("date out of range", "range");
    return false;
  }
  ticks = static_cast<std::int64_t>(value);
  return true;
}

}  // namespace tern::json::detail
