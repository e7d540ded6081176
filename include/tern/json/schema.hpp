// The shape of a type's JSON as constant data, for JSON Schema: one Schema per type. Nothing here is code of the
// document; a type that no document mentions costs its data only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/json/codec.hpp>
#include <tern/json/defaults.hpp>
#include <tern/json/enums.hpp>
#include <tern/json/rule.hpp>
#include <tern/json/shape.hpp>

namespace tern::json {

struct Schema;

struct SchemaMember {
  std::string_view name;  // empty for elements and alternatives
  const Schema* schema = nullptr;
};

// Uses the addresses of the members of an object.
using UseMembers = void (*)(void* context, const void* const* members);

// What is found at run time about a struct.
struct SchemaDefaults {
  std::uint64_t (*may_be_missing)();             // by bit, see members_with_default()
  void (*fresh)(void* context, UseMembers use);  // uses the members of a T{}
};

struct Schema {
  detail::Shape shape = detail::Shape::None;
  std::uint8_t bytes = 0;  // of a number
  bool is_signed = false;  // of an integer
  bool is_string = false;  // it is std::string
  bool deny_unknown = false;
  Kinds kinds = Kinds::None;                   // of a type with a JsonCodec
  std::string_view type = {};                  // of structs and enumerations, as the compiler spells it
  std::string_view name = {};                  // of JsonSchemaName
  std::string_view text = {};                  // the JSON Schema that a JsonCodec states
  const Schema* of = nullptr;                  // of the elements, the mapped values or the target
  const Schema* key = nullptr;                 // of the keys of a map
  std::span<const SchemaMember> members = {};  // of structs; elements of tuples; alternatives of variants
  std::size_t size = 0;                        // of an array
  std::int64_t numerator = 0;                  // of the period of a duration
  std::int64_t denominator = 0;
  const detail::EnumTable& (*names)() = nullptr;  // of an enumeration
  const SchemaDefaults* defaults = nullptr;       // of a struct
  const RuleTable* rules = nullptr;               // of tern::Rules; null: none
  Discriminator discriminator = {};               // of a struct
};

// The one Schema of T.
template <class T>
struct SchemaOf {
  static const Schema value;
};

namespace detail {

template <class T>
constexpr std::string_view type_text() {
  std::string_view text = spelled_type<T>();
  text.remove_prefix(text.find("T = ") + 4);
  // GCC adds what std::string_view stands for behind a semicolon.
  return text.substr(0, text.find_last_of(";]") == text.npos ? text.size()
                        : text.find(';') < text.size()       ? text.find(';')
                                                             : text.size() - 1);
}

template <std::size_t N>
struct SchemaMembers {
  SchemaMember items[N == 0 ? 1 : N];
};

template <class T>
inline constexpr auto schema_members = []<std::size_t... I>(std::index_sequence<I...>) {
  return SchemaMembers<sizeof...(I)>{{SchemaMember{names_of<T>.items[I], &SchemaOf<MemberType<T, I>>::value}...}};
}(std::make_index_sequence<member_count<T>>{});

template <class T>
inline constexpr int schema_alternatives = 0;
template <template <class...> class V, class... A>
inline constexpr SchemaMember schema_alternatives<V<A...>>[] = {{{}, &SchemaOf<A>::value}...};

template <class T, class Indices = std::make_index_sequence<std::tuple_size<T>::value>>
struct TupleSchemas;
template <class T, std::size_t... I>
struct TupleSchemas<T, std::index_sequence<I...>> {
  static constexpr SchemaMember items[sizeof...(I) + 1] = {
      {{}, &SchemaOf<std::remove_cv_t<std::tuple_element_t<I, T>>>::value}..., {}};
};

template <class T>
void use_fresh(void* context, UseMembers use) {
  const T object{};
  const auto pointers = member_pointers(object);
  const void* members[member_count<T> + 1] = {};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((members[I] = leaf<I>(pointers)), ...);
  }(std::make_index_sequence<member_count<T>>{});
  use(context, members);
}

// Not a part of Schema, so that its functions are instantiated on their own: GCC 12 crashes otherwise.
template <class T>
struct SchemaDefaultsOf {
  static const SchemaDefaults value;
};
template <class T>
constinit const SchemaDefaults SchemaDefaultsOf<T>::value{&members_with_default<T>, &use_fresh<T>};

template <class T>
consteval void describe_codec(Schema& schema) {
  schema.kinds = kinds_of<T>();
  if constexpr (requires { JsonCodec<T>::schema; }) schema.text = JsonCodec<T>::schema;
  if constexpr (requires { typename JsonCodec<T>::SchemaType; }) {
    schema.of = &SchemaOf<typename JsonCodec<T>::SchemaType>::value;
  }
}

template <class T>
constexpr std::string_view component_name() {
  if constexpr (requires { JsonSchemaName<T>::value; }) {
    return JsonSchemaName<T>::value;
  } else {
    return {};
  }
}

template <class T>
consteval void describe_struct(Schema& schema) {
  schema.type = type_text<T>();
  schema.name = component_name<T>();
  schema.members = {schema_members<T>.items, member_count<T>};
  schema.defaults = &SchemaDefaultsOf<T>::value;
  schema.discriminator = discriminator_of<T>();
  if constexpr (requires { JsonOptions<T>::deny_unknown; }) schema.deny_unknown = JsonOptions<T>::deny_unknown;
}

template <class T>
consteval Schema make_schema() {
  constexpr Shape is = shape<T>;
  Schema schema;
  schema.shape = is;
  if constexpr (HasRules<T>) schema.rules = &rules_of<T>();
  if constexpr (is == Shape::Codec) {
    describe_codec<T>(schema);
  } else if constexpr (is == Shape::Integer || is == Shape::Fraction) {
    schema.bytes = sizeof(T);
    schema.is_signed = std::is_signed_v<T>;
  } else if constexpr (is == Shape::Text) {
    schema.is_string = std::is_same_v<T, std::string>;
  } else if constexpr (is == Shape::Enum) {
    schema.bytes = sizeof(T);
    schema.is_signed = std::is_signed_v<std::underlying_type_t<T>>;
    schema.type = type_text<T>();
    schema.name = component_name<T>();
    schema.names = &enum_table<T>;
  } else if constexpr (is == Shape::Duration) {
    schema.of = &SchemaOf<typename T::rep>::value;
    schema.numerator = T::period::num;
    schema.denominator = T::period::den;
  } else if constexpr (is == Shape::Pointer) {
    schema.of = &SchemaOf<std::remove_cv_t<typename T::element_type>>::value;
  } else if constexpr (is == Shape::Map) {
    schema.of = &SchemaOf<typename T::mapped_type>::value;
    schema.key = &SchemaOf<typename T::key_type>::value;
  } else if constexpr (is == Shape::Optional || is == Shape::Set || is == Shape::Sequence || is == Shape::View) {
    schema.of = &SchemaOf<std::remove_cv_t<typename T::value_type>>::value;
  } else if constexpr (is == Shape::Array) {
    schema.of = &SchemaOf<std::remove_cv_t<typename T::value_type>>::value;
    schema.size = std::tuple_size<T>::value;
  } else if constexpr (is == Shape::Tuple) {
    schema.members = {TupleSchemas<T>::items, std::tuple_size<T>::value};
  } else if constexpr (is == Shape::Variant) {
    schema.members = schema_alternatives<T>;
  } else if constexpr (is == Shape::Struct) {
    describe_struct<T>(schema);
  }
  return schema;
}

}  // namespace detail

template <class T>
constinit const Schema SchemaOf<T>::value = detail::make_schema<T>();

}  // namespace tern::json
