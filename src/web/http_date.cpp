// IMF-fixdate  = "Sun, 06 Nov 1994 08:49:37 GMT"
// rfc850-date  = "Sunday, 06-Nov-94 08:49:37 GMT"
// asctime-date = "Sun Nov  6 08:49:37 1994"
#include "web/http_date.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>

namespace tern::web {
namespace {

constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::string_view short_days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::string_view long_days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

// Reads a date from left to right. After a fault, everything fails.
class DateReader {
public:
  explicit DateReader(std::string_view text) noexcept : rest_(text) {}

  void skip(std::string_view literal) noexcept {
    if (!rest_.starts_with(literal)) return fail();
    rest_.remove_prefix(literal.size());
  }

  // The index of the name that follows.
  template <std::size_t N>
  std::size_t name(const std::string_view (&choices)[N]) noexcept {
    const auto* found =
        std::ranges::find_if(choices, [this](std::string_view each) { return rest_.starts_with(each); });
    if (found == std::end(choices)) return fail(), std::size_t{0};
    rest_.remove_prefix(found->size());
    return static_cast<std::size_t>(found - choices);
  }

  int number(std::size_t digits) noexcept {
    if (rest_.size() < digits) return fail(), 0;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!base::is_digit(c)) return fail(), 0;
      value = 10 * value + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // A day of the month that is padded with a blank.
  int padded_number() noexcept {
    if (!rest_.starts_with(' ')) return number(2);
    skip(" ");
    return number(1);
  }

  bool succeeded() const noexcept { return valid_ && rest_.empty(); }

private:
  void fail() noexcept {
    valid_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool valid_ = true;
};

struct Date {
  int year = 0;
  std::size_t month = 0;  // from 0
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

void read_time(DateReader& reader, Date& date) noexcept {
  date.hour = reader.number(2);
  reader.skip(":");
  date.minute = reader.number(2);
  reader.skip(":");
  date.second = reader.number(2);
}

std::optional<std::int64_t> seconds_of(const Date& date) noexcept {
  using namespace std::chrono;
  const year_month_day day{year(date.year), month(static_cast<unsigned>(date.month) + 1),
                           std::chrono::day(static_cast<unsigned>(date.day))};
  // 60: a leap second
  if (!day.ok() || date.hour > 23 || date.minute > 59 || date.second > 60) return std::nullopt;
  const auto time = sys_days(day) + hours(date.hour) + minutes(date.minute) + seconds(date.second);
  return duration_cast<seconds>(time.time_since_epoch()).count();
}

std::optional<std::int64_t> read_imf_fixdate(std::string_view text) noexcept {
  DateReader reader(text);
  Date date;
  reader.name(short_days);
  reader.skip(", ");
  date.day = reader.number(2);
  reader.skip(" ");
  date.month = reader.name(months);
  reader.skip(" ");
  date.year = reader.number(4);
  reader.skip(" ");
  read_time(reader, date);
  reader.skip(" GMT");
  return reader.succeeded() ? seconds_of(date) : std::nullopt;
}

std::optional<std::int64_t> read_rfc850(std::string_view text, std::int64_t now) noexcept {
  using namespace std::chrono;
  DateReader reader(text);
  Date date;
  reader.name(long_days);
  reader.skip(", ");
  date.day = reader.number(2);
  reader.skip("-");
  date.month = reader.name(months);
  reader.skip("-");
  date.year = reader.number(2);
  reader.skip(" ");
  read_time(reader, date);
  reader.skip(" GMT");
  if (!reader.succeeded()) return std::nullopt;
  const int this_year = static_cast<int>(year_month_day(floor<days>(sys_seconds(seconds(now)))).year());
  date.year += this_year - this_year % 100;
  if (date.year > this_year + 50) date.year -= 100;
  return seconds_of(date);
}

std::optional<std::int64_t> read_asctime(std::string_view text) noexcept {
  DateReader reader(text);
  Date date;
  reader.name(short_days);
  reader.skip(" ");
  date.month = reader.name(months);
  reader.skip(" ");
  date.day = reader.padded_number();
  reader.skip(" ");
  read_time(reader, date);
  reader.skip(" ");
  date.year = reader.number(4);
  return reader.succeeded() ? seconds_of(date) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) noexcept {
  if (const auto seconds = read_imf_fixdate(text)) return seconds;
  if (const auto seconds = read_rfc850(text, now)) return seconds;
  return read_asctime(text);
}

}  // namespace tern::web
