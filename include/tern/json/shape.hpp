// Classifies types by their JSON form. Containers and time types are recognised by their interfaces, so that their
// headers are not needed here.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/base/number.hpp>
#include <tern/json/codec.hpp>
#include <tern/json/kinds.hpp>
#include <tern/json/reflect.hpp>

namespace tern::json {

// Text that is one JSON value, written unchanged and read without parsing it.
struct Raw {
  std::string text;

  friend bool operator==(const Raw&, const Raw&) = default;
};

// The same, as a view of text that lives long enough. Written only.
struct RawView {
  std::string_view text;

  friend bool operator==(const RawView&, const RawView&) = default;
};

namespace detail {

enum class Shape : std::uint8_t {
  None,       // cannot be JSON
  Codec,      // JsonCodec is specialised
  Null,       // std::nullptr_t, std::monostate
  Boolean,    // bool
  Integer,    // all integers but the character types
  Fraction,   // float, double
  Character,  // char: a string of one ASCII character
  Enum,       // by name
  Text,       // convertible to std::string_view
  Raw,        // tern::json::Raw, RawView
  Optional,   // std::optional
  Pointer,    // std::unique_ptr, std::shared_ptr
  Time,       // std::chrono::time_point of the system clock
  Duration,   // std::chrono::duration
  Variant,    // std::variant
  Map,        // std::map, std::unordered_map, …
  Set,        // std::set, std::unordered_set, …
  Sequence,   // std::vector, std::deque, std::list, …
  View,       // any other range: written only
  Array,      // std::array
  Tuple,      // std::pair, std::tuple
  Struct,     // aggregates, by reflection
};

template <class T>
concept HasCodec = requires { sizeof(JsonCodec<T>); };

template <class T>
consteval std::string_view spelled_type() {
  return __PRETTY_FUNCTION__;
}

// std::monostate, which is recognised among empty structs by its name only: <variant> is not included here.
template <class T>
concept Monostate = std::is_empty_v<T> && (spelled_type<T>().find("= std::monostate") != std::string_view::npos);

template <class T>
concept Text = std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<T>;

template <class T>
concept Range = requires(const T& t) {
  typename T::value_type;
  t.begin() != t.end();
  requires !std::is_same_v<typename T::value_type, T>;
};

template <class T>
concept OptionalLike = requires(T& t) {
  typename T::value_type;
  { t.has_value() } -> std::same_as<bool>;
  *t;
  t.emplace();
  t.reset();
};

template <class T>
concept PointerLike = requires(T& t) {
  typename T::element_type;
  *t;
  t.get();
  t.reset();
  requires !std::is_array_v<typename T::element_type>;
};

template <class T>
concept DurationLike = requires(const T& t) {
  typename T::rep;
  T::period::num;
  T::period::den;
  { t.count() } -> std::same_as<typename T::rep>;
};

template <class T>
concept TimeLike = requires(const T& t) {
  typename T::clock;
  T::clock::from_time_t(0);
  requires DurationLike<typename T::duration>;
  requires std::is_integral_v<typename T::rep>;
  { t.time_since_epoch() } -> std::same_as<typename T::duration>;
};

template <class T>
concept VariantLike = requires(const T& t) {
  t.index();
  { t.valueless_by_exception() } -> std::same_as<bool>;
};

template <class T>
concept MapLike = Range<T> && requires(T& t, typename T::key_type key) {
  typename T::mapped_type;
  t.try_emplace(std::move(key));
};

template <class T>
concept SetLike = Range<T> && requires(T& t, typename T::value_type value) {
  typename T::key_type;
  t.insert(std::move(value));
  requires !requires { typename T::mapped_type; };
};

template <class T>
concept SequenceLike = Range<T> && requires(T& t, typename T::value_type value) { t.push_back(std::move(value)); };

template <class T>
concept Sized = requires { std::tuple_size<T>::value; };
template <class T>
concept ArrayLike = Sized<T> && requires(T& t) { t[std::size_t{}]; };

template <class T>
consteval Shape classify_class() {
  if constexpr (std::is_same_v<T, json::Raw> || std::is_same_v<T, json::RawView>)
    return Shape::Raw;
  else if constexpr (Monostate<T>)
    return Shape::Null;
  else if constexpr (Text<T>)
    return Shape::Text;
  else if constexpr (ArrayLike<T>)
    return Shape::Array;
  else if constexpr (Sized<T>)
    return Shape::Tuple;
  else if constexpr (MapLike<T>)
    return Shape::Map;
  else if constexpr (SetLike<T>)
    return Shape::Set;
  else if constexpr (SequenceLike<T>)
    return Shape::Sequence;
  else if constexpr (Range<T>)
    return Shape::View;
  else if constexpr (OptionalLike<T>)
    return Shape::Optional;
  else if constexpr (PointerLike<T>)
    return Shape::Pointer;
  else if constexpr (VariantLike<T>)
    return Shape::Variant;
  else if constexpr (TimeLike<T>)
    return Shape::Time;
  else if constexpr (DurationLike<T>)
    return Shape::Duration;
  else if constexpr (Aggregate<T>)
    return Shape::Struct;
  else
    return Shape::None;
}

template <class T>
consteval Shape classify() {
  if constexpr (HasCodec<T>)
    return Shape::Codec;
  else if constexpr (std::is_same_v<T, bool>)
    return Shape::Boolean;
  else if constexpr (std::is_null_pointer_v<T>)
    return Shape::Null;
  else if constexpr (base::Integer<T> && sizeof(T) <= 8)
    return Shape::Integer;
  else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return Shape::Fraction;
  else if constexpr (std::is_same_v<T, char>)
    return Shape::Character;
  else if constexpr (std::is_enum_v<T>)
    return Shape::Enum;
  else if constexpr (std::is_class_v<T>)
    return classify_class<T>();
  else if constexpr (Text<T>)
    return Shape::Text;
  else
    return Shape::None;
}

template <class T>
inline constexpr Shape shape = classify<std::remove_cv_t<T>>();

// The kinds of JSON values that T is written as and read from.
template <class T>
consteval Kinds kinds_of();

template <class T>
inline constexpr Kinds kinds_of_alternatives = Kinds::None;
template <template <class...> class V, class... A>
inline constexpr Kinds kinds_of_alternatives<V<A...>> = (Kinds::None | ... | kinds_of<A>());

template <class T>
consteval Kinds kinds_of() {
  switch (shape<T>) {
    case Shape::Codec:
      if constexpr (requires { JsonCodec<T>::kinds; }) return JsonCodec<T>::kinds;
      return Kinds::None;
    case Shape::Null: return Kinds::Null;
    case Shape::Boolean: return Kinds::Boolean;
    case Shape::Integer: return Kinds::Integer;
    case Shape::Fraction: return Kinds::Number;
    case Shape::Character:
    case Shape::Enum:
    case Shape::Text:
    case Shape::Time: return Kinds::String;
    case Shape::Optional:
      if constexpr (shape<T> == Shape::Optional) return Kinds::Null | kinds_of<typename T::value_type>();
      break;
    case Shape::Pointer:
      if constexpr (shape<T> == Shape::Pointer) return Kinds::Null | kinds_of<typename T::element_type>();
      break;
    case Shape::Duration:
      if constexpr (shape<T> == Shape::Duration) return kinds_of<typename T::rep>();
      break;
    case Shape::Variant: return kinds_of_alternatives<T>;
    case Shape::Map:
    case Shape::Struct: return Kinds::Object;
    case Shape::Set:
    case Shape::Sequence:
    case Shape::View:
    case Shape::Array:
    case Shape::Tuple: return Kinds::Array;
    case Shape::Raw:
    case Shape::None: break;
  }
  return Kinds::None;
}

}  // namespace detail
}  // namespace tern::json
