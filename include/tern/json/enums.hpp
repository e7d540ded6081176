// The names of enumerators, found without macros: enum_name(Color::Red) is "Red".
//
// Enumerators from -128 to 127 are found; EnumNames<E> (codec.hpp) names another range, or all values and their names.
// The first use of an enumeration builds its table, later ones only look things up; both are thread-safe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/json/codec.hpp>

namespace tern {

template <class E>
  requires std::is_enum_v<E>
struct EnumName {
  E value;
  std::string_view name;
};

namespace json::detail {

// Values and names, in the order in which they were given or, if found by reflection, of their values.
class EnumTable {
public:
  EnumTable() = default;
  // `spelled` is what the compiler prints for `count` consecutive values beginning with `first`.
  EnumTable(std::string_view spelled, std::int64_t first, std::size_t count);

  void add(std::int64_t value, std::string_view name);
  std::optional<std::string_view> name(std::int64_t value) const;
  std::optional<std::int64_t> value(std::string_view name) const;
  const std::vector<std::string_view>& names() const { return names_; }

private:
  std::vector<std::string_view> names_;
  std::vector<std::int64_t> values_;
};

template <class E, E... Values>
consteval auto spelled_values() {
  return std::string_view(__PRETTY_FUNCTION__);
}

// An enumeration without fixed underlying type holds only as many bits as its enumerators need. GCC looks at all values
// nevertheless, and so does Clang up to 19 when asked; later ones say which values exist.
#if defined(__clang__) && __clang_major__ < 20
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wenum-constexpr-conversion"
#endif
template <class E, long long Value>
concept Representable = requires { typename std::integral_constant<E, static_cast<E>(Value)>; };

// Not a static_cast, of which GCC warns here.
template <class E>
consteval E enum_at(long long value) {
  return __builtin_bit_cast(E, static_cast<std::underlying_type_t<E>>(value));
}

template <class E>
concept FixedUnderlying = requires { E{0}; };

template <class E, long long... Candidates>
consteval long long outermost(std::integer_sequence<long long, Candidates...>) {
  long long result = 0;
  static_cast<void>(((Representable<E, Candidates> ? (result = Candidates, true) : false) || ...));
  return result;
}

template <class E>
consteval long long enum_min() {
  using Limits = std::numeric_limits<std::underlying_type_t<E>>;
  if constexpr (requires { EnumNames<E>::min; }) {
    return EnumNames<E>::min;
  } else if constexpr (std::is_unsigned_v<std::underlying_type_t<E>>) {
    return 0;
  } else if constexpr (FixedUnderlying<E>) {
    return Limits::min() < -128 ? -128 : static_cast<long long>(Limits::min());
  } else {
    return outermost<E>(std::integer_sequence<long long, -128, -64, -32, -16, -8, -4, -2, -1>{});
  }
}

template <class E>
consteval long long enum_max() {
  using Limits = std::numeric_limits<std::underlying_type_t<E>>;
  if constexpr (requires { EnumNames<E>::max; }) {
    return EnumNames<E>::max;
  } else if constexpr (FixedUnderlying<E>) {
    return Limits::max() > 127 ? 127 : static_cast<long long>(Limits::max());
  } else {
    return outermost<E>(std::integer_sequence<long long, 127, 63, 31, 15, 7, 3, 1>{});
  }
}

template <class E>
EnumTable make_enum_table() {
  if constexpr (requires { EnumNames<E>::names; }) {
    EnumTable table;
    for (const EnumName<E>& entry : EnumNames<E>::names) table.add(static_cast<std::int64_t>(entry.value), entry.name);
    return table;
  } else {
    constexpr long long min = enum_min<E>();
    constexpr long long max = enum_max<E>();
    static_assert(min <= max && max - min < 8192, "tern: EnumNames<E> must have min <= max, at most 8192 values");
    constexpr auto count = static_cast<std::size_t>(max - min + 1);
    constexpr std::string_view spelled = []<std::size_t... I>(std::index_sequence<I...>) {
      return spelled_values<E, enum_at<E>(min + static_cast<long long>(I))...>();
    }(std::make_index_sequence<count>{});
    return EnumTable(spelled, min, count);
  }
}

#if defined(__clang__) && __clang_major__ < 20
#pragma clang diagnostic pop
#endif

template <class E>
const EnumTable& enum_table() {
  static const EnumTable table = make_enum_table<E>();
  return table;
}

}  // namespace json::detail

// The name of an enumerator; nothing for a value that has none. The view lives as long as the program.
template <class E>
  requires std::is_enum_v<E>
std::optional<std::string_view> enum_name(E value) {
  return json::detail::enum_table<E>().name(static_cast<std::int64_t>(value));
}

// The enumerator of exactly this name.
template <class E>
  requires std::is_enum_v<E>
std::optional<E> enum_from_name(std::string_view name) {
  const auto value = json::detail::enum_table<E>().value(name);
  if (!value) return std::nullopt;
  return static_cast<E>(*value);
}

// All names of an enumeration.
template <class E>
  requires std::is_enum_v<E>
const std::vector<std::string_view>& enum_names() {
  return json::detail::enum_table<E>().names();
}

}  // namespace tern
