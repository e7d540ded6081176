// The types of arguments and columns.
//
//   bool                          an integer, 0 or 1
//   integers                      an integer; a value that does not fit is an error
//   float, double                 a number
//   std::string, string_view …    text (UTF-8, without NUL); a string_view only as an argument
//   std::vector<std::byte>        a blob
//   std::optional<T>              NULL, or a T
//   enumerations                  text: the name (EnumNames)
//   std::chrono::sys_days         text, "2024-02-29"; the same for year_month_day
//   std::chrono::sys_time<D>      text, "2024-02-29T12:00:00Z", with the fraction that D needs; UTC
//   Json<T>                       text: T as JSON
//   SqlCodec<T>                   types of the program
#pragma once

#include <tern/app/extract.hpp>
#include <tern/base/number.hpp>
#include <tern/json/enums.hpp>
#include <tern/json/read.hpp>
#include <tern/json/shape.hpp>
#include <tern/json/write.hpp>
#include <tern/sql/value.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

// How a type of the program is stored, as another of the known types:
//
//   template <>
//   struct tern::SqlCodec<Money> {
//     using Stored = std::int64_t;
//     static std::int64_t to_sql(const Money& money) { return money.cents; }
//     static std::optional<Money> from_sql(std::int64_t cents) { return Money{cents}; }  // unset: no Money
//   };
template <class T>
struct SqlCodec;

namespace sql {
namespace detail {

template <class T>
concept HasCodec = requires { typename SqlCodec<T>::Stored; };

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_json = false;
template <class T>
inline constexpr bool is_json<Json<T>> = true;
// std::chrono is recognised by what it has: <chrono> is large.
template <class T>
concept DayTime = json::detail::TimeLike<T> && T::period::num == 86400 && T::period::den == 1;
template <class T>
concept CalendarDay = requires(const T& date) {
  { date.ok() } -> std::same_as<bool>;
  T(date.year(), date.month(), date.day());
};
template <class T>
inline constexpr bool is_date = DayTime<T> || CalendarDay<T>;
template <class T>
inline constexpr bool is_time = json::detail::TimeLike<T> && !DayTime<T>;

template <class T>
consteval bool is_column() {
  if constexpr (is_optional<T>) {
    return is_column<typename T::value_type>();
  } else {
    return HasCodec<T> || std::is_same_v<T, bool> || base::Integer<T> || std::is_floating_point_v<T> ||
           std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::byte>> || std::is_enum_v<T> ||
           is_time<T> || is_date<T> || is_json<T>;
  }
}

struct Date {
  int year = 1970;
  unsigned month = 1;
  unsigned day = 1;
};

// "2024-02-29". Days are since 1970-01-01.
std::string date_text(const Date& date);
bool parse_date(std::string_view text, Date& date);
std::int64_t days_of(const Date& date);
Date date_of(std::int64_t days);
// "2024-02-29T12:00:00.250Z"; ticks of num/den seconds since 1970-01-01, with the digits that they need.
std::string time_text(std::int64_t ticks, std::int64_t num, std::int64_t den);
// False also for a time that is no number of ticks.
bool parse_time(std::string_view text, std::int64_t num, std::int64_t den, std::int64_t& ticks);
bool parse_text(const Value& value, std::string_view& text);

template <class T>
bool decode_date(const Value& value, T& out) {
  Date date;
  if (value.type != ValueType::Text || !parse_date(value.bytes, date)) return false;
  if constexpr (CalendarDay<T>) {
    using Year = decltype(out.year());
    using Month = decltype(out.month());
    using Day = decltype(out.day());
    out = T(Year(date.year), Month(date.month), Day(date.day));
  } else {
    out = T(typename T::duration(static_cast<typename T::rep>(days_of(date))));
  }
  return true;
}

template <class T>
bool decode_time(const Value& value, T& out) {
  std::int64_t ticks = 0;
  if (value.type != ValueType::Text || !parse_time(value.bytes, T::period::num, T::period::den, ticks) ||
      !std::in_range<typename T::rep>(ticks)) {
    return false;
  }
  out = T(typename T::duration(static_cast<typename T::rep>(ticks)));
  return true;
}

template <class T>
bool decode_number(const Value& value, T& out) {
  if constexpr (std::is_floating_point_v<T>) {
    if (value.type == ValueType::Integer) {
      out = static_cast<T>(value.integer);
      return std::abs(out) < static_cast<T>(9.2e18) && static_cast<std::int64_t>(out) == value.integer;
    }
    out = static_cast<T>(value.real);
    return value.type == ValueType::Real &&
           (std::is_same_v<T, double> || std::isfinite(out) == std::isfinite(value.real));
  } else {
    out = static_cast<T>(value.integer);
    return value.type == ValueType::Integer && std::in_range<T>(value.integer);
  }
}

template <class T>
bool decode_enum(const Value& value, T& out) {
  const auto found = value.type == ValueType::Text ? enum_from_name<T>(value.bytes) : std::nullopt;
  if (found) out = *found;
  return found.has_value();
}

template <class T>
bool decode_json(const Value& value, Json<T>& out) {
  if (value.type != ValueType::Text) return false;
  auto read = json::read<T>(value.bytes);
  if (read) out.value = std::move(*read);
  return read.has_value();
}

}  // namespace detail

// A type that a column can be.
template <class T>
concept ColumnType = detail::is_column<T>();

// False if the value is no T.
template <ColumnType T>
bool decode(const Value& value, T& out) {
  if constexpr (detail::is_optional<T>) {
    if (value.type == ValueType::Null) {
      out.reset();
      return true;
    }
    return decode(value, out.emplace());
  } else if constexpr (detail::HasCodec<T>) {
    typename SqlCodec<T>::Stored stored{};
    if (!decode(value, stored)) return false;
    std::optional<T> made = SqlCodec<T>::from_sql(stored);
    if (made) out = std::move(*made);
    return made.has_value();
  } else if constexpr (std::is_same_v<T, bool>) {
    out = value.integer == 1;
    return value.type == ValueType::Integer && (value.integer == 0 || value.integer == 1);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return detail::decode_number(value, out);
  } else if constexpr (std::is_same_v<T, std::string>) {
    std::string_view text;
    const bool valid = detail::parse_text(value, text);
    out = text;
    return valid;
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    const auto bytes = std::as_bytes(std::span(value.bytes));
    out.assign(bytes.begin(), bytes.end());
    return value.type == ValueType::Blob;
  } else if constexpr (std::is_enum_v<T>) {
    return detail::decode_enum(value, out);
  } else if constexpr (detail::is_date<T>) {
    return detail::decode_date(value, out);
  } else if constexpr (detail::is_time<T>) {
    return detail::decode_time(value, out);
  } else {
    return detail::decode_json(value, out);
  }
}

// Throws SqlError: Text for text that is none, Parameter for an enumerator without name.
template <class T>
void encode(Arguments& arguments, const T& value);

namespace detail {

[[noreturn]] void throw_nameless_enumerator(std::size_t index);
[[noreturn]] void throw_too_large(std::size_t index);

template <class T>
void encode_date(Arguments& arguments, const T& value) {
  if constexpr (CalendarDay<T>) {
    arguments.add_text(date_text(
        {static_cast<int>(value.year()), static_cast<unsigned>(value.month()), static_cast<unsigned>(value.day())}));
  } else {
    arguments.add_text(date_text(date_of(value.time_since_epoch().count())));
  }
}

template <class T>
void encode_enum(Arguments& arguments, T value) {
  const auto name = enum_name(value);
  if (!name) throw_nameless_enumerator(arguments.size() + 1);
  arguments.add_text(*name);
}

template <class T>
inline constexpr bool usable_argument = false;

}  // namespace detail

template <class T>
void encode(Arguments& arguments, const T& value) {
  if constexpr (detail::is_optional<T>) {
    if (value) return encode(arguments, *value);
    arguments.add_null();
  } else if constexpr (std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, std::nullptr_t>) {
    arguments.add_null();
  } else if constexpr (detail::HasCodec<T>) {
    encode<typename SqlCodec<T>::Stored>(arguments, SqlCodec<T>::to_sql(value));
  } else if constexpr (std::is_same_v<T, bool> || base::Integer<T>) {
    if (!std::in_range<std::int64_t>(static_cast<std::conditional_t<std::is_same_v<T, bool>, int, T>>(value))) {
      detail::throw_too_large(arguments.size() + 1);
    }
    arguments.add_integer(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    arguments.add_real(static_cast<double>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    arguments.add_text(value);
  } else if constexpr (std::is_convertible_v<const T&, std::span<const std::byte>>) {
    arguments.add_blob(value);
  } else if constexpr (std::is_enum_v<T>) {
    detail::encode_enum(arguments, value);
  } else if constexpr (detail::is_date<T>) {
    detail::encode_date(arguments, value);
  } else if constexpr (detail::is_time<T>) {
    arguments.add_text(detail::time_text(value.time_since_epoch().count(), T::period::num, T::period::den));
  } else if constexpr (detail::is_json<T>) {
    arguments.add_text(json::to_string(value.value));
  } else {
    static_assert(detail::usable_argument<T>,
                  "tern: an argument of a statement is a number, a bool, text, a blob (std::vector<std::byte>), an "
                  "enumeration, a time or date, Json<T>, a std::optional of these, or a type with an SqlCodec");
  }
}

}  // namespace sql
}  // namespace tern
