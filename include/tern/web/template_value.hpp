// TemplateValue: a C++ value as templates see it, without a copy. Types are those that JSON writes.
#pragma once

#include <tern/app/handler_traits.hpp>
#include <tern/json/write.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern::web {

struct TemplateType;

inline constexpr std::size_t max_plain_text = 32;

// Borrowed: the object lives as long as it is used. Without a type it is absent: an empty std::optional, a null
// pointer.
struct TemplateValue {
  const void* object = nullptr;
  const TemplateType* type = nullptr;
};

enum class TemplateKind : std::uint8_t { Boolean, Text, Scalar, Struct, Map, List };

// A member of a struct.
struct TemplateMember {
  std::string_view name;
  TemplateValue (*value)(const void* object);
};

// How values of a C++ type are read. Functions that its kind does not need are null.
struct TemplateType {
  TemplateKind kind;
  std::string_view (*name)();
  // Boolean: the value. Map: whether it has elements.
  bool (*holds)(const void* object) = nullptr;
  // Boolean, Text, Scalar: one of the two. The view is into the object or into `scratch`.
  std::string_view (*text)(const void* object, std::string& scratch) = nullptr;
  // For text that has nothing to be escaped, that of numbers and booleans: writes up to max_plain_text bytes, and
  // returns their end.
  char* (*print)(const void* object, char* to) = nullptr;
  // Struct.
  std::span<const TemplateMember> members = {};
  // Map. False if there is no such member.
  bool (*element)(const void* object, std::string_view name, TemplateValue& found) = nullptr;
  // List: appends its elements.
  void (*elements)(const void* object, std::vector<TemplateValue>& out) = nullptr;

  constexpr bool has_members() const noexcept { return kind == TemplateKind::Struct || kind == TemplateKind::Map; }
};

// The text in `scratch`, which is JSON: without the quotes of a string.
std::string_view plain_text(std::string& scratch);

template <class T>
TemplateValue value_of(const T& value);

namespace detail {

using json::detail::Shape;

template <class T>
const T& as(const void* object) {
  return *static_cast<const T*>(object);
}

template <class T>
consteval bool has_elements() {
  constexpr Shape is = json::detail::shape<T>;
  return is == Shape::Set || is == Shape::Sequence || is == Shape::View || is == Shape::Array || is == Shape::Tuple;
}

template <class T>
consteval TemplateKind kind_of() {
  constexpr Shape is = json::detail::shape<T>;
  if constexpr (is == Shape::Boolean) return TemplateKind::Boolean;
  if constexpr (is == Shape::Struct) return TemplateKind::Struct;
  if constexpr (is == Shape::Map) return TemplateKind::Map;
  if constexpr (has_elements<T>()) return TemplateKind::List;
  if constexpr (is == Shape::Text || is == Shape::Raw || is == Shape::Character) return TemplateKind::Text;
  return TemplateKind::Scalar;
}

template <class T>
consteval bool is_plain() {
  constexpr Shape is = json::detail::shape<T>;
  return is == Shape::Boolean || is == Shape::Integer || is == Shape::Fraction;
}

// As JSON has them.
char* print_plain(char* to, bool value) noexcept;
char* print_plain(char* to, long long value) noexcept;
char* print_plain(char* to, unsigned long long value) noexcept;
char* print_plain(char* to, double value) noexcept;
char* print_plain(char* to, float value) noexcept;

template <class T>
char* print(const void* object, char* to) {
  const T& value = as<T>(object);
  if constexpr (json::detail::shape<T> != Shape::Integer) {
    return print_plain(to, value);
  } else if constexpr (std::is_signed_v<T>) {
    return print_plain(to, static_cast<long long>(value));
  } else {
    return print_plain(to, static_cast<unsigned long long>(value));
  }
}

template <class T>
std::string_view text_of(const void* object, std::string& scratch) {
  constexpr Shape is = json::detail::shape<T>;
  const T& value = as<T>(object);
  if constexpr (is == Shape::Text) {
    return value;
  } else if constexpr (is == Shape::Raw) {
    return value.text;
  } else if constexpr (is == Shape::Character) {
    return {&value, 1};
  } else {
    scratch.clear();
    json::write(scratch, value);
    return plain_text(scratch);
  }
}

template <class T>
bool element_of(const void* object, std::string_view name, TemplateValue& found) {
  static_assert(json::detail::shape<typename T::key_type> == Shape::Text,
                "tern: the keys of a map that templates use are text");
  const auto at = as<T>(object).find(typename T::key_type(name));
  if (at == as<T>(object).end()) return false;
  found = value_of(at->second);
  return true;
}

template <class T, std::size_t I>
TemplateValue member_value(const void* object) {
  return value_of(*json::detail::leaf<I>(json::detail::member_pointers(as<T>(object))));
}

template <class T>
inline constexpr auto members_of = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<TemplateMember, sizeof...(I)>{
      TemplateMember{json::detail::names_of<T>.items[I], &member_value<T, I>}...};
}(std::make_index_sequence<json::detail::member_count<T>>{});

inline constexpr bool truth[] = {false, true};

template <class T>
void elements_of(const void* object, std::vector<TemplateValue>& out) {
  const T& value = as<T>(object);
  if constexpr (json::detail::shape<T> == Shape::Tuple) {
    using std::get;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (out.push_back(value_of(get<I>(value))), ...);
    }(std::make_index_sequence<std::tuple_size<T>::value>{});
  } else if constexpr (std::is_same_v<typename T::value_type, bool>) {
    for (const bool element : value) out.push_back(value_of(truth[element ? 1 : 0]));
  } else {
    static_assert(std::is_lvalue_reference_v<decltype(*value.begin())>,
                  "tern: templates use lists whose elements are in memory: make a std::vector of this range");
    if constexpr (requires { value.size(); }) out.reserve(out.size() + value.size());
    for (const auto& element : value) out.push_back(value_of(element));
  }
}

template <class T>
bool holds(const void* object) {
  if constexpr (json::detail::shape<T> == Shape::Map) {
    return as<T>(object).begin() != as<T>(object).end();
  } else {
    return as<T>(object);
  }
}

template <class T>
consteval TemplateType make_type() {
  TemplateType type{kind_of<T>(), &app::type_name<T>};
  if constexpr (kind_of<T>() == TemplateKind::Boolean || kind_of<T>() == TemplateKind::Map) type.holds = &holds<T>;
  if constexpr (kind_of<T>() == TemplateKind::Struct) {
    type.members = members_of<T>;
  } else if constexpr (kind_of<T>() == TemplateKind::Map) {
    type.element = &element_of<T>;
  } else if constexpr (has_elements<T>()) {
    type.elements = &elements_of<T>;
  } else if constexpr (is_plain<T>()) {
    type.print = &print<T>;
  } else {
    type.text = &text_of<T>;
  }
  return type;
}

template <class T>
inline constexpr TemplateType type_of = make_type<T>();

template <template <class...> class V, class... A>
TemplateValue alternative(const V<A...>& variant) {
  TemplateValue value;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(((variant.index() == I ? (value = value_of(*get_if<I>(&variant)), true) : false) || ...));
  }(std::index_sequence_for<A...>{});
  return value;
}

}  // namespace detail

template <class T>
TemplateValue value_of(const T& value) {
  using detail::Shape;
  constexpr Shape is = json::detail::shape<T>;
  static_assert(is != Shape::None,
                "tern: templates cannot use this type; make it an aggregate or specialise JsonCodec");
  if constexpr (is == Shape::None || is == Shape::Null) {
    return {};
  } else if constexpr (is == Shape::Optional || is == Shape::Pointer) {
    return value ? value_of(*value) : TemplateValue();
  } else if constexpr (is == Shape::Variant) {
    return detail::alternative(value);
  } else {
    if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) return {};
    }
    return {&value, &detail::type_of<T>};
  }
}

}  // namespace tern::web
