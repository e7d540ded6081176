// Parses one value from text: a placeholder, a member of a query, a field, a cookie.
#pragma once

#include <tern/app/handler_traits.hpp>
#include <tern/base/number.hpp>
#include <tern/json/enums.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tern::app {

// False, without changing `value`, if `text` is not a T. Numbers are strict (base/number.hpp), a bool is "true",
// "false", "1" or "0", an enumerator is written by its name.
template <TextValue T>
bool from_text(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1") return value = true, true;
    if (text == "false" || text == "0") return value = false, true;
    return false;
  } else if constexpr (std::is_enum_v<T>) {
    const auto enumerator = enum_from_name<T>(text);
    if (enumerator) value = *enumerator;
    return enumerator.has_value();
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto number = base::parse_double(text);
    constexpr auto most = static_cast<long double>(std::numeric_limits<T>::max());
    if (!number || *number > most || *number < -most) return false;
    value = static_cast<T>(*number);
    return true;
  } else if constexpr (base::Integer<T>) {
    const auto number = base::parse_integer<T>(text);
    if (number) value = *number;
    return number.has_value();
  } else {
    value = text;
    return true;
  }
}

// The message for text that is not a T.
template <TextValue T>
constexpr std::string_view expectation() {
  if constexpr (std::is_same_v<T, bool>) return "expected true or false";
  if constexpr (std::is_enum_v<T>) return "expected one of the names that are defined here";
  if constexpr (std::is_floating_point_v<T>) return "expected a number";
  if constexpr (base::Integer<T>)
    return std::is_signed_v<T> ? "expected an integer in range" : "expected a non-negative integer in range";
  return "expected text";
}

}  // namespace tern::app
