#include <tern/http/date.hpp>

#include <tern/base/number.hpp>

#include <chrono>
#include <string_view>

namespace tern {

void append_imf_fixdate(std::string& out, std::int64_t unix_seconds) {
  constexpr std::string_view days = "SunMonTueWedThuFriSat";
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  using namespace std::chrono;
  const sys_seconds time{seconds{unix_seconds}};
  const sys_days day = floor<std::chrono::days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  out += days.substr(weekday{day}.c_encoding() * 3, 3);
  out += ", ";
  base::append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += ' ';
  out += months.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3);
  out += ' ';
  base::append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  const auto append = [&](char before, auto part) {
    out += before;
    base::append_padded(out, static_cast<unsigned>(part.count()), 2);
  };
  append(' ', clock.hours());
  append(':', clock.minutes());
  append(':', clock.seconds());
  out += " GMT";
}

}  // namespace tern
