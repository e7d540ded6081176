// The types of arguments and columns.
//
//   bool                          an integer, 0 or 1
//   integers                      an integer; a value that does not fit is an error
//   float, double                 a number
//   std::string, string_view …    text (UTF-8, without NUL); a string_view only as an argument
//   std::vector<std::byte>        a blob
//   std::vector<T>                an array; of databases that have arrays
//   Uuid                          a UUID; text where the database has no type for it
//   std::optional<T>              NULL, or a T
//   enumerations                  text: the name (EnumNames)
//   std::chrono::sys_days         text, "2024-02-29"; the same for year_month_day
//   std::chrono::sys_time<D>      text, "2024-02-29T12:00:00Z", with the fraction that D needs; UTC
//   Json<T>                       text: T as JSON
//   json::Raw                     text: JSON of any kind, passed on as it is
//   SqlCodec<T>                   types of the program
#pragma once

#include <tern/app/extract.hpp>
#include <tern/base/number.hpp>
#include <tern/json/enums.hpp>
#include <tern/json/read.hpp>
#include <tern/json/shape.hpp>
#include <tern/json/write.hpp>
#include <tern/sql/uuid.hpp>
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
inline constexpr bool is_array = json::detail::SequenceLike<T> && !std::is_convertible_v<const T&, std::string_view> &&
                                 !std::is_convertible_v<const T&, std::span<const std::byte>>;

template <class T>
consteval bool is_column() {
  if constexpr (is_optional<T> || (is_array<T> && !HasCodec<T>)) {
    return is_column<typename T::value_type>();
  } else {
    return HasCodec<T> || std::is_same_v<T, bool> || base::Integer<T> || std::is_floating_point_v<T> ||
           std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::byte>> || std::is_enum_v<T> ||
           is_time<T> || is_date<T> || is_json<T> || std::is_same_v<T, json::Raw> || std::is_same_v<T, Uuid>;
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
// Text as it is; decimals, dates, times and UUIDs as text.
bool text_of(const Value& value, std::string& text);
// Text of the type Json is not parsed again.
bool raw_of(const Value& value, json::Raw& raw);
// Of a value of the type Date or Text.
bool read_date(const Value& value, Date& date);
// Of a value of the type Time or Text.
bool read_time(const Value& value, std::int64_t num, std::int64_t den, std::int64_t& ticks);
// Of a value of the type Decimal: exactly that integer, or the nearest double.
bool read_integer(const Value& value, std::int64_t& out);
bool read_real(const Value& value, double& out);
bool read_uuid(const Value& value, Uuid& out);

// Adds an element to an array, which begins empty and is closed with "}".
void append_element(std::string& text, const Value& value);
// "NaN", "-Infinity", "0.1".
void append_real(std::string& text, double value);

// Reads an array as text, element by element.
class ArrayText {
public:
  explicit ArrayText(std::string_view text) noexcept : text_(text) {}
  // False at the end, and if it is no array.
  bool next();
  bool valid() const noexcept { return valid_; }
  const Value& value() const noexcept { return value_; }  // Text or Null

private:
  bool fail() noexcept { return valid_ = false; }

  std::string_view text_;
  std::string element_;
  Value value_;
  bool started_ = false;
  bool valid_ = true;
};

template <class T>
bool decode_date(const Value& value, T& out) {
  Date date;
  if (!read_date(value, date)) return false;
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
  if (!read_time(value, T::period::num, T::period::den, ticks) || !std::in_range<typename T::rep>(ticks)) {
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
    double real = value.real;
    if (value.type != ValueType::Real && !read_real(value, real)) return false;
    out = static_cast<T>(real);
    return std::is_same_v<T, double> || std::isfinite(out) == std::isfinite(real);
  } else {
    std::int64_t integer = value.integer;
    if (value.type != ValueType::Integer && !read_integer(value, integer)) return false;
    out = static_cast<T>(integer);
    return std::in_range<T>(integer);
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
  if (value.type != ValueType::Text && value.type != ValueType::Json) return false;
  auto read = json::read<T>(value.bytes);
  if (read) out.value = std::move(*read);
  return read.has_value();
}

template <class T>
bool decode_array(const Value& value, T& out);

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
    return detail::text_of(value, out);
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    const auto bytes = std::as_bytes(std::span(value.bytes));
    out.assign(bytes.begin(), bytes.end());
    return value.type == ValueType::Blob;
  } else if constexpr (std::is_same_v<T, Uuid>) {
    return detail::read_uuid(value, out);
  } else if constexpr (detail::is_array<T>) {
    return detail::decode_array(value, out);
  } else if constexpr (std::is_enum_v<T>) {
    return detail::decode_enum(value, out);
  } else if constexpr (detail::is_date<T>) {
    return detail::decode_date(value, out);
  } else if constexpr (detail::is_time<T>) {
    return detail::decode_time(value, out);
  } else if constexpr (std::is_same_v<T, json::Raw>) {
    return detail::raw_of(value, out);
  } else {
    return detail::decode_json(value, out);
  }
}

// Throws SqlError: Text for text that is none, Parameter for an enumerator without name.
template <class T>
void encode(Arguments& arguments, const T& value);

namespace detail {

template <class T>
bool decode_array(const Value& value, T& out) {
  out.clear();
  const auto add = [&out](const Value& item) {
    typename T::value_type element{};
    if (!decode(item, element)) return false;
    out.push_back(std::move(element));
    return true;
  };
  if (value.type == ValueType::Array) {
    for (const Value& item : value.items) {
      if (!add(item)) return false;
    }
    return true;
  }
  if (value.type != ValueType::Text) return false;
  ArrayText text(value.bytes);
  while (text.next()) {
    if (!add(text.value())) return false;
  }
  return text.valid();
}

template <class T>
void encode_array(Arguments& arguments, const T& value) {
  std::string text;
  Arguments element;
  for (const auto& item : value) {
    element = {};
    encode<typename T::value_type>(element, item);
    append_element(text, element[0]);
  }
  text += text.empty() ? "{}" : "}";
  arguments.add_array(text);
}

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
  } else if constexpr (std::is_same_v<T, Uuid>) {
    arguments.add_text(value.to_string());
  } else if constexpr (std::is_same_v<T, Arguments>) {
    arguments.append(value);
  } else if constexpr (detail::is_array<T>) {
    detail::encode_array(arguments, value);
  } else if constexpr (std::is_enum_v<T>) {
    detail::encode_enum(arguments, value);
  } else if constexpr (detail::is_date<T>) {
    detail::encode_date(arguments, value);
  } else if constexpr (detail::is_time<T>) {
    arguments.add_text(detail::time_text(value.time_since_epoch().count(), T::period::num, T::period::den));
  } else if constexpr (detail::is_json<T>) {
    arguments.add_text(json::to_string(value.value));
  } else if constexpr (std::is_same_v<T, json::Raw> || std::is_same_v<T, json::RawView>) {
    arguments.add_text(value.text);
  } else {
    static_assert(
        detail::usable_argument<T>,
        "tern: an argument of a statement is a number, a bool, text, a blob (std::vector<std::byte>), an "
        "enumeration, a time or date, a Uuid, Json<T>, json::Raw, a std::optional or std::vector of these, or a type "
        "with an SqlCodec");
  }
}

}  // namespace sql
}  // namespace tern
