// What a configuration consists of: the members of a struct, their types, defaults, rules and descriptions, found by
// the reflection that JSON uses. Everything else works on this description, without templates.
#pragma once

#include <tern/config/values.hpp>
#include <tern/json/read.hpp>
#include <tern/json/rule.hpp>
#include <tern/json/write.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

struct Http2Options;
struct Limits;
struct Listener;
struct LogOptions;
struct Options;
struct PoolOptions;
struct ProxyOptions;
struct ServerLimits;
struct Timeouts;
struct TlsCertificate;
struct TlsOptions;

}  // namespace tern

namespace tern::configuration {

enum class Kind : std::uint8_t {
  Boolean,
  Integer,
  Size,  // an integer that counts bytes, or a ByteSize
  Fraction,
  Text,
  Secret,
  Enum,      // by name, in any case
  Duration,  // with a unit
  Optional,
  List,
  Map,     // a table with any keys
  Struct,  // a table
  Other,   // as in JSON
};

struct Type;
using TypeFunction = const Type& (*)();

struct Member {
  std::string_view name;
  std::string_view description;
  TypeFunction type = nullptr;
  bool may_be_missing = false;
  bool is_hidden = false;  // a Secret, or a member with the rule write_only()
};

// How values of one type are read and written; `void*` is the address of one. Which functions there are depends on the
// kind.
struct Type {
  Kind kind = Kind::Other;

  // Scalars. parse() returns false, and leaves the value as it is, for a text that is none.
  bool (*parse)(std::string_view text, void* out) = nullptr;
  void (*print)(const void* value, std::string& out) = nullptr;
  std::string (*expected)() = nullptr;  // for messages: "an integer from 0 to 65535"
  json::detail::ScalarValue (*scalar)(const void* value) = nullptr;

  // Optional (at most one element), List and Map.
  TypeFunction element = nullptr;
  void (*clear)(void* container) = nullptr;
  void* (*append)(void* container, std::string_view key) = nullptr;  // the key is for maps
  void (*each)(const void* container, void* context,
               void (*f)(void* context, std::string_view key, const void* element)) = nullptr;

  // Struct.
  std::vector<Member> members = {};
  void (*addresses)(void* object, void** out) = nullptr;
  const json::detail::CompiledRules& (*rules)() = nullptr;  // null: there are none

  // Other: from and to JSON text. read_json() returns the fault, or nothing.
  std::string (*read_json)(std::string_view json, void* out) = nullptr;
  void (*write_json)(const void* value, std::string& out) = nullptr;
};

// The number in "16 MiB", "1.5GB", "4096"; false for any other text, and for what is above `most` or no whole number.
bool parse_size(std::string_view text, std::uint64_t most, std::uint64_t& bytes);
void print_size(std::uint64_t bytes, std::string& out);
// Of "30s", "1m30s", "250ms": as a number of ticks of `numerator`/`denominator` seconds, exactly. "0" needs no unit.
bool parse_duration(std::string_view text, std::int64_t numerator, std::int64_t denominator, std::int64_t& ticks);
void print_duration(std::int64_t ticks, std::int64_t numerator, std::int64_t denominator, std::string& out);
bool parse_boolean(std::string_view text, bool& out);
bool parse_enum(std::string_view text, const json::detail::EnumTable& table, std::int64_t& out);
std::string expected_enum(const json::detail::EnumTable& table);
std::string expected_integer(std::string_view min, std::string_view max);
std::string_view description_of(const json::RuleTable& rules, std::size_t member);

template <class T>
const Type& type_of();
template <class T>
const Type& size_type_of();

// The options of a server: all may be missing, and each has a description. Declared here, so that no source can make
// another description of them from the template.
template <>
const Type& type_of<Options>();
template <>
const Type& type_of<Listener>();
template <>
const Type& type_of<TlsOptions>();
template <>
const Type& type_of<TlsCertificate>();
template <>
const Type& type_of<ProxyOptions>();
template <>
const Type& type_of<ServerLimits>();
template <>
const Type& type_of<Limits>();
template <>
const Type& type_of<Timeouts>();
template <>
const Type& type_of<Http2Options>();
template <>
const Type& type_of<PoolOptions>();
template <>
const Type& type_of<LogOptions>();

namespace detail {

using json::detail::Shape;

template <class T>
inline constexpr bool is_list = false;
template <class T>
  requires(json::detail::shape<T> == Shape::Sequence)
inline constexpr bool is_list<T> =
    requires(T& list) { requires std::is_same_v<decltype(list.emplace_back()), typename T::value_type&>; };

template <class T>
inline constexpr bool is_map = false;
template <class T>
  requires(json::detail::shape<T> == Shape::Map)
inline constexpr bool is_map<T> = std::is_same_v<typename T::key_type, std::string>;

template <class T>
consteval Kind kind_of() {
  constexpr Shape is = json::detail::shape<T>;
  if constexpr (std::is_same_v<T, Secret>) return Kind::Secret;
  if constexpr (std::is_same_v<T, ByteSize>) return Kind::Size;
  if constexpr (is == Shape::Boolean) return Kind::Boolean;
  if constexpr (is == Shape::Integer) return Kind::Integer;
  if constexpr (is == Shape::Fraction) return Kind::Fraction;
  if constexpr (is == Shape::Text) return Kind::Text;
  if constexpr (is == Shape::Enum) return Kind::Enum;
  if constexpr (is == Shape::Duration) return Kind::Duration;
  if constexpr (is == Shape::Optional) return Kind::Optional;
  if constexpr (is_list<T>) return Kind::List;
  if constexpr (is_map<T>) return Kind::Map;
  if constexpr (is == Shape::Struct) return Kind::Struct;
  return Kind::Other;
}

template <class T>
json::detail::ScalarValue scalar_of(const void* value) {
  using json::detail::ScalarValue;
  const T& from = *static_cast<const T*>(value);
  ScalarValue scalar;
  if constexpr (std::is_floating_point_v<T>) {
    scalar.type = ScalarValue::Type::Fraction;
    scalar.fraction = static_cast<double>(from);
  } else if constexpr (base::Integer<T> && std::is_signed_v<T>) {
    scalar.type = ScalarValue::Type::Signed;
    scalar.integer = from;
  } else if constexpr (base::Integer<T>) {
    scalar.type =
        from > static_cast<std::uint64_t>(INT64_MAX) ? ScalarValue::Type::Unsigned : ScalarValue::Type::Signed;
    scalar.unsigned_integer = from;
    scalar.integer = static_cast<std::int64_t>(from);
  } else if constexpr (std::is_enum_v<T>) {
    scalar.type = ScalarValue::Type::Text;
    scalar.text = enum_name(from).value_or(std::string_view());
  } else if constexpr (json::detail::shape<T> == Shape::Duration) {
    scalar.type = ScalarValue::Type::Signed;
    scalar.integer = static_cast<std::int64_t>(from.count());
  } else if constexpr (std::is_same_v<T, Secret>) {
    scalar.type = ScalarValue::Type::Text;
    scalar.text = from.reveal();
  } else if constexpr (std::is_same_v<T, ByteSize>) {
    return scalar_of<std::uint64_t>(&from.bytes);
  } else if constexpr (json::detail::shape<T> == Shape::Text) {
    scalar.type = ScalarValue::Type::Text;
    scalar.text = from;
  }
  return scalar;
}

template <class T>
std::string range_of() {
  std::string min;
  std::string max;
  base::append_integer(min, std::numeric_limits<T>::min());
  base::append_integer(max, std::numeric_limits<T>::max());
  return expected_integer(min, max);
}

template <class T>
bool parse_into(std::string_view text, void* out) {
  const auto value = base::parse_integer<T>(text);
  if (value) *static_cast<T*>(out) = *value;
  return value.has_value();
}

template <class T>
void describe_integer(Type& type) {
  type.parse = &parse_into<T>;
  type.print = [](const void* value, std::string& out) { base::append_integer(out, *static_cast<const T*>(value)); };
  type.expected = &range_of<T>;
}

template <class T>
void describe_size(Type& type) {
  type.kind = Kind::Size;
  type.parse = [](std::string_view text, void* out) {
    std::uint64_t bytes = 0;
    if (!parse_size(text, static_cast<std::uint64_t>(std::numeric_limits<T>::max()), bytes)) return false;
    *static_cast<T*>(out) = static_cast<T>(bytes);
    return true;
  };
  type.print = [](const void* value, std::string& out) {
    print_size(static_cast<std::uint64_t>(*static_cast<const T*>(value)), out);
  };
  type.expected = [] { return std::string("a number of bytes, such as 4096 or \"16 MiB\""); };
}

template <class T>
void describe_enum(Type& type) {
  type.parse = [](std::string_view text, void* out) {
    std::int64_t value = 0;
    if (!parse_enum(text, json::detail::enum_table<T>(), value)) return false;
    *static_cast<T*>(out) = static_cast<T>(value);
    return true;
  };
  type.print = [](const void* value, std::string& out) {
    out.append(enum_name(*static_cast<const T*>(value)).value_or(std::string_view("?")));
  };
  type.expected = [] { return expected_enum(json::detail::enum_table<T>()); };
}

template <class T>
void describe_duration(Type& type) {
  static_assert(std::is_integral_v<typename T::rep>, "tern: durations in a configuration have a number of whole ticks");
  type.parse = [](std::string_view text, void* out) {
    std::int64_t ticks = 0;
    if (!parse_duration(text, T::period::num, T::period::den, ticks)) return false;
    if (ticks > static_cast<std::int64_t>(std::numeric_limits<typename T::rep>::max())) return false;
    *static_cast<T*>(out) = T(static_cast<typename T::rep>(ticks));
    return true;
  };
  type.print = [](const void* value, std::string& out) {
    print_duration(static_cast<std::int64_t>(static_cast<const T*>(value)->count()), T::period::num, T::period::den,
                   out);
  };
  type.expected = [] { return std::string("a duration with a unit (ms, s, m, h, d), such as \"30s\""); };
}

template <class T>
void describe_text(Type& type) {
  type.parse = [](std::string_view text, void* out) {
    if constexpr (std::is_same_v<T, Secret>) {
      *static_cast<T*>(out) = Secret(std::string(text));
    } else {
      static_cast<T*>(out)->assign(text.data(), text.size());
    }
    return true;
  };
  type.print = [](const void* value, std::string& out) { out.append(scalar_of<T>(value).text); };
  type.expected = [] { return std::string("a text"); };
}

template <class T>
void describe_scalar(Type& type) {
  type.scalar = &scalar_of<T>;
  if constexpr (kind_of<T>() == Kind::Boolean) {
    type.scalar = nullptr;
    type.parse = [](std::string_view text, void* out) { return parse_boolean(text, *static_cast<bool*>(out)); };
    type.print = [](const void* value, std::string& out) {
      out.append(*static_cast<const bool*>(value) ? "true" : "false");
    };
    type.expected = [] { return std::string("true or false"); };
  } else if constexpr (std::is_same_v<T, ByteSize>) {
    describe_size<std::uint64_t>(type);  // which is its only member
  } else if constexpr (kind_of<T>() == Kind::Integer) {
    describe_integer<T>(type);
  } else if constexpr (kind_of<T>() == Kind::Fraction) {
    type.parse = [](std::string_view text, void* out) {
      const auto value = base::parse_double(text);
      if (value) *static_cast<T*>(out) = static_cast<T>(*value);
      return value.has_value();
    };
    type.print = [](const void* value, std::string& out) { base::append_number(out, *static_cast<const T*>(value)); };
    type.expected = [] { return std::string("a number"); };
  } else if constexpr (kind_of<T>() == Kind::Enum) {
    describe_enum<T>(type);
  } else if constexpr (kind_of<T>() == Kind::Duration) {
    describe_duration<T>(type);
  } else {
    describe_text<T>(type);
  }
}

template <class T, bool IsSize>
void describe_optional(Type& type) {
  using Element = typename T::value_type;
  if constexpr (IsSize) {
    type.element = &size_type_of<Element>;
  } else {
    type.element = &type_of<Element>;
  }
  type.clear = [](void* container) { static_cast<T*>(container)->reset(); };
  type.append = [](void* container, std::string_view) -> void* {
    T& optional = *static_cast<T*>(container);
    return optional ? &*optional : &optional.emplace();
  };
  type.each = [](const void* container, void* context, void (*f)(void*, std::string_view, const void*)) {
    const T& optional = *static_cast<const T*>(container);
    if (optional) f(context, {}, &*optional);
  };
}

template <class T>
void describe_list(Type& type) {
  type.element = &type_of<typename T::value_type>;
  type.clear = [](void* container) { static_cast<T*>(container)->clear(); };
  type.append = [](void* container, std::string_view) -> void* { return &static_cast<T*>(container)->emplace_back(); };
  type.each = [](const void* container, void* context, void (*f)(void*, std::string_view, const void*)) {
    for (const auto& element : *static_cast<const T*>(container)) f(context, {}, &element);
  };
}

template <class T>
void describe_map(Type& type) {
  type.element = &type_of<typename T::mapped_type>;
  type.clear = [](void* container) { static_cast<T*>(container)->clear(); };
  type.append = [](void* container, std::string_view key) -> void* {
    return &static_cast<T*>(container)->try_emplace(std::string(key)).first->second;
  };
  type.each = [](const void* container, void* context, void (*f)(void*, std::string_view, const void*)) {
    for (const auto& [key, element] : *static_cast<const T*>(container)) f(context, key, &element);
  };
}

constexpr bool counts_bytes(std::string_view name) {
  return name == "bytes" || name.ends_with("_bytes") || name.starts_with("bytes_") ||
         name.find("_bytes_") != std::string_view::npos;
}

template <class M>
inline constexpr bool takes_size = std::is_integral_v<M> && !std::is_same_v<M, bool>;
template <class M>
  requires(json::detail::shape<M> == Shape::Optional)
inline constexpr bool takes_size<M> = takes_size<typename M::value_type>;

template <class M>
inline constexpr bool is_secret = std::is_same_v<M, Secret>;
template <class M>
  requires(json::detail::shape<M> == Shape::Optional)
inline constexpr bool is_secret<M> = is_secret<typename M::value_type>;

template <class T, std::size_t I>
Member describe_member() {
  using M = json::MemberType<T, I>;
  constexpr Kind kind = kind_of<M>();
  static_assert(
      kind != Kind::Other || json::detail::shape<M> != Shape::None,
      "tern: a member of this struct cannot be in a configuration: it is neither a number, text, enumeration, "
      "duration, container or struct, nor has it a JsonCodec");
  Member member;
  member.name = json::member_names<T>()[I];
  const json::RuleTable& rules = json::rules_of<T>();
  member.description = description_of(rules, I);
  if constexpr (takes_size<M> && counts_bytes(json::detail::names_of<T>.items[I])) {
    member.type = &size_type_of<M>;
  } else {
    member.type = &type_of<M>;
  }
  member.may_be_missing =
      kind == Kind::List || kind == Kind::Map || kind == Kind::Struct || json::member_has_default<T, I>();
  member.is_hidden = is_secret<M> || (rules.write_only >> I & 1) != 0;
  return member;
}

template <class T>
void describe_struct(Type& type) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (type.members.push_back(describe_member<T, I>()), ...);
  }(std::make_index_sequence<json::member_count<T>()>{});
  type.addresses = &json::detail::addresses_in<T>;
  if constexpr (json::detail::HasRules<T>) type.rules = &json::detail::compiled_rules<T>;
}

template <class T>
void describe_other(Type& type) {
  type.read_json = [](std::string_view json, void* out) -> std::string {
    auto value = json::read<T>(json);
    if (!value) return value.error().to_string();
    *static_cast<T*>(out) = std::move(*value);
    return {};
  };
  type.write_json = [](const void* value, std::string& out) { json::write(out, *static_cast<const T*>(value)); };
}

template <class T, bool IsSize>
Type describe() {
  Type type;
  type.kind = kind_of<T>();
  if constexpr (kind_of<T>() == Kind::Optional) {
    describe_optional<T, IsSize>(type);
  } else if constexpr (IsSize) {
    type.scalar = &scalar_of<T>;
    describe_size<T>(type);
  } else if constexpr (kind_of<T>() == Kind::List) {
    describe_list<T>(type);
  } else if constexpr (kind_of<T>() == Kind::Map) {
    describe_map<T>(type);
  } else if constexpr (kind_of<T>() == Kind::Struct) {
    describe_struct<T>(type);
  } else if constexpr (kind_of<T>() == Kind::Other) {
    describe_other<T>(type);
  } else {
    describe_scalar<T>(type);
  }
  return type;
}

}  // namespace detail

// The description of T. The first call makes it; thread-safe, and it lives as long as the program.
template <class T>
const Type& type_of() {
  static const Type type = detail::describe<T, false>();
  return type;
}
template <class T>
const Type& size_type_of() {
  static const Type type = detail::describe<T, true>();
  return type;
}

}  // namespace tern::configuration
