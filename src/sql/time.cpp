// Times and dates as text (ISO 8601): "2024-02-29", "2024-02-29T12:00:00.250Z". SQLite's "2024-02-29 12:00:00" is read,
// too.
#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/sql/codec.hpp>

#include <chrono>
#include <string>

namespace tern::sql::detail {
namespace {

// The decimal number of exactly `digits` digits at the start, which is removed.
bool take_digits(std::string_view& text, std::size_t digits, unsigned& value) {
  if (text.size() < digits) return false;
  value = 0;
  for (const char c : text.substr(0, digits)) {
    if (!base::is_digit(c)) return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take_mark(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text, Date& out) {
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (!take_digits(text, 4, year) || !take_mark(text, '-') || !take_digits(text, 2, month) || !take_mark(text, '-') ||
      !take_digits(text, 2, day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(day)};
  out = {static_cast<int>(year), month, day};
  return date.ok();
}

// "." and one to nine digits.
bool take_fraction(std::string_view& text, std::uint32_t& nanoseconds) {
  if (!take_mark(text, '.')) return true;
  std::uint32_t unit = 1'000'000'000;
  while (!text.empty() && base::is_digit(text.front()) && unit > 1) {
    unit /= 10;
    nanoseconds += unit * static_cast<std::uint32_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return unit < 1'000'000'000;
}

}  // namespace

std::int64_t days_of(const Date& date) {
  const std::chrono::year_month_day day{std::chrono::year(date.year), std::chrono::month(date.month),
                                        std::chrono::day(date.day)};
  return std::chrono::sys_days(day).time_since_epoch().count();
}

Date date_of(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
}

std::string date_text(const Date& date) {
  std::string text;
  base::append_padded(text, static_cast<unsigned>(date.year), 4);
  text += '-';
  base::append_padded(text, date.month, 2);
  text += '-';
  base::append_padded(text, date.day, 2);
  return text;
}

bool parse_date(std::string_view text, Date& date) {
  return take_date(text, date) && text.empty();
}

std::string time_text(std::int64_t ticks, std::int64_t num, std::int64_t den) {
  constexpr std::int64_t day = 86400;
  std::int64_t seconds = ticks / den * num;
  std::int64_t fraction = ticks % den;
  if (fraction < 0) {
    fraction += den;
    --seconds;
  }
  const std::int64_t days = seconds / day - (seconds % day < 0 ? 1 : 0);
  const auto of_day = static_cast<unsigned>(seconds - days * day);
  std::string text = date_text(date_of(days));
  text += 'T';
  base::append_padded(text, of_day / 3600, 2);
  text += ':';
  base::append_padded(text, of_day / 60 % 60, 2);
  text += ':';
  base::append_padded(text, of_day % 60, 2);
  std::size_t digits = 0;
  for (std::int64_t unit = den; unit > 1; unit /= 10) ++digits;
  if (digits != 0) {
    text += '.';
    base::append_padded(text, static_cast<unsigned>(fraction), digits);
  }
  text += 'Z';
  return text;
}

bool parse_time(std::string_view text, std::int64_t num, std::int64_t den, std::int64_t& ticks) {
  Date date;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  std::uint32_t nanoseconds = 0;
  if (!take_date(text, date) || (!take_mark(text, 'T') && !take_mark(text, ' ')) || !take_digits(text, 2, hour) ||
      !take_mark(text, ':') || !take_digits(text, 2, minute) || !take_mark(text, ':') ||
      !take_digits(text, 2, second) || !take_fraction(text, nanoseconds)) {
    return false;
  }
  if (!text.empty() && text != "Z" && text != "+00:00") return false;
  if (hour >= 24 || minute >= 60 || second >= 60) return false;
  const std::int64_t seconds = ((days_of(date) * 24 + hour) * 60 + minute) * 60 + second;
  constexpr std::int64_t billion = 1'000'000'000;
  const std::int64_t unit = den > billion ? 1 : billion / den;  // nanoseconds of a tick below one second
  if (seconds % num != 0 || nanoseconds % unit != 0) return false;
  return !__builtin_mul_overflow(seconds / num, den, &ticks) &&
         !__builtin_add_overflow(ticks, nanoseconds / unit, &ticks);
}

bool read_date(const Value& value, Date& date) {
  if (value.type == ValueType::Text) return parse_date(value.bytes, date);
  if (value.type != ValueType::Date) return false;
  date = date_of(value.integer);
  return true;
}

bool read_time(const Value& value, std::int64_t num, std::int64_t den, std::int64_t& ticks) {
  if (value.type == ValueType::Text) return parse_time(value.bytes, num, den, ticks);
  if (value.type != ValueType::Time) return false;
  constexpr std::int64_t million = 1'000'000;
  if (den > million) return !__builtin_mul_overflow(value.integer, den / million, &ticks);
  const std::int64_t unit = num * (million / den);  // microseconds of a tick
  ticks = value.integer / unit;
  return value.integer % unit == 0;
}

}  // namespace tern::sql::detail
