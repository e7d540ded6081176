// JSON text to C++ values.
//
// The whole text must be one JSON document in UTF-8, without duplicate member names anywhere, nested no deeper than
// Limits::depth. Members that the type does not know are ignored, unless Limits
// or JsonOptions deny them; one that is missing is a problem unless it may be
// (defaults.hpp). Numbers are exact: an integer may be written as 1.0 or 1e2, as JSON Schema says, below 2^53; a number
// beyond double is a problem wherever it stands. Arrays for std::array, pairs and tuples have exactly as many elements;
// equal elements of a set merge. Points of time are RFC 3339 texts with any offset, rounded down to what the type
// holds; a leap second counts as the second after it. In a std::variant the kind of the value picks the alternative,
// and among structs the members that only one of them has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/json/defaults.hpp>
#include <tern/json/enums.hpp>
#include <tern/json/error.hpp>
#include <tern/json/reader.hpp>
#include <tern/json/shape.hpp>
#include <tern/json/validate.hpp>
#include <tern/json/variant.hpp>

namespace tern::json {

namespace detail {

bool read_enum(Reader& reader, const EnumTable& table, std::int64_t& out);
bool read_character(Reader& reader, char& out);
void fail_length(Reader& reader, std::size_t length);
void fail_member(Reader& member, const EnumTable& table);

template <class T>
void read_erased(Reader& reader, void* out) {
  read_value(reader, *static_cast<T*>(out));
}

template <std::size_t N>
struct ReadMembers {
  ReadMember items[N == 0 ? 1 : N];
};

template <class Struct, FixedText Member, class Type>
consteval void refuse_to_read() {
  static_assert(usable_member<Struct, Member, Type>,
                "tern: a member of this struct, named below, cannot be read from JSON; make its type an aggregate or "
                "specialise tern::JsonCodec");
}

// A member with rules.
template <class T, std::size_t I>
void read_ruled(Reader& reader, void* out) {
  auto& value = *static_cast<MemberType<T, I>*>(out);
  if (reader.value(value) && !RuleTableOf<T>::template keeps<I>(value)) check_member(reader, compiled_rules<T>(), I);
}

template <class T, std::size_t I>
consteval bool is_ruled() {
  if constexpr (HasRules<T>) {
    return RuleTableOf<T>::template is_checked<I>;
  } else {
    return false;
  }
}

template <class T, std::size_t I>
consteval auto member_reader() -> void (*)(Reader&, void*) {
  using M = MemberType<T, I>;
  if constexpr (shape<M> == Shape::None) {
    refuse_to_read<T, fixed_name<T, I>, M>();
    return nullptr;
  } else if constexpr (is_ruled<T, I>()) {
    return &read_ruled<T, I>;
  } else {
    return &read_erased<M>;
  }
}

template <class T>
inline constexpr auto read_members = []<std::size_t... I>(std::index_sequence<I...>) {
  return ReadMembers<sizeof...(I)>{{ReadMember{names_of<T>.items[I], member_reader<T, I>()}...}};
}(std::make_index_sequence<member_count<T>>{});

template <class T>
void addresses_in(void* object, void** out) {
  const auto pointers = member_pointers(*static_cast<T*>(object));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_assert((!std::is_const_v<std::remove_pointer_t<decltype(leaf<I>(pointers))>> && ...),
                  "tern: a struct with const members cannot be read from JSON");
    ((out[I] = leaf<I>(pointers)), ...);
  }(std::make_index_sequence<member_count<T>>{});
}

template <class T>
consteval bool denies_unknown() {
  if constexpr (requires { JsonOptions<T>::deny_unknown; }) {
    return JsonOptions<T>::deny_unknown;
  } else {
    return false;
  }
}

template <class T>
consteval const RuleTable* rule_table() {
  if constexpr (HasRules<T>) {
    return &RuleTableOf<T>::table;
  } else {
    return nullptr;
  }
}

template <class T>
inline constexpr ReadTable read_table{read_members<T>.items,    member_count<T>,     &addresses_in<T>,
                                      &members_with_default<T>, denies_unknown<T>(), rule_table<T>(),
                                      discriminator_of<T>()};

template <class T>
void read_integer(Reader& reader, T& out) {
  using Range = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    std::int64_t value = 0;
    if (reader.integer(value, Range::min(), Range::max())) out = static_cast<T>(value);
  } else {
    std::uint64_t value = 0;
    if (reader.unsigned_integer(value, Range::max())) out = static_cast<T>(value);
  }
}

template <class T>
void read_sequence(Reader& reader, T& out) {
  using Element = typename T::value_type;
  out.clear();
  if constexpr (requires { out.reserve(std::size_t{}); }) {
    constexpr std::size_t most = 1024;  // an array of invalid elements must not cost sizeof(Element) for each
    const std::size_t size = reader.size();
    out.reserve(size < most ? size : most);
  }
  reader.each_element([&out](Reader& element) {
    if constexpr (requires { requires std::is_same_v<decltype(out.emplace_back()), Element&>; }) {
      read_value(element, out.emplace_back());
    } else {
      Element value{};
      read_value(element, value);
      out.push_back(std::move(value));
    }
  });
}

template <class T>
void read_set(Reader& reader, T& out) {
  out.clear();
  reader.each_element([&out](Reader& element) {
    typename T::value_type value{};
    if (element.value(value)) out.insert(std::move(value));
  });
}

// Converts a key to the map's key type: text, a decimal integer, or an enumerator's name.
template <class K>
bool read_key(std::string_view text, Reader& member, K& out) {
  if constexpr (shape<K> == Shape::Enum) {
    const auto value = enum_from_name<K>(text);
    if (value) out = *value;
    if (!value) fail_member(member, enum_table<K>());
    return value.has_value();
  } else if constexpr (shape<K> == Shape::Integer) {
    const auto value = base::parse_integer<K>(text);
    if (value) out = *value;
    if (!value) member.fail("expected integer as name of the member", "type");
    return value.has_value();
  } else {
    static_assert(std::is_constructible_v<K, const char*, std::size_t>,
                  "tern: the keys of a map read from JSON are strings, integers or enums");
    out = K(text.data(), text.size());
    return true;
  }
}

template <class T>
void read_map(Reader& reader, T& out) {
  out.clear();
  reader.each_member([&out](std::string_view name, Reader& member) {
    typename T::key_type key{};
    if (!read_key(name, member, key)) return;
    const auto [place, inserted] = out.try_emplace(std::move(key));
    if (inserted) {
      read_value(member, place->second);
    } else if constexpr (shape<typename T::key_type> == Shape::Integer) {
      member.fail("duplicate member", "duplicate");  // "1" and "01"; equal texts were found before
    }
  });
}

template <class T>
void read_array(Reader& reader, T& out) {
  constexpr std::size_t size = std::tuple_size<T>::value;
  if (!reader.is(Kinds::Array)) return reader.expected(Kinds::Array);
  if (reader.size() != size) return fail_length(reader, size);
  std::size_t i = 0;
  reader.each_element([&](Reader& element) { read_value(element, out[i++]); });
}

template <class T>
void read_tuple(Reader& reader, T& out) {
  using std::get;
  constexpr std::size_t size = std::tuple_size<T>::value;
  if (!reader.is(Kinds::Array)) return reader.expected(Kinds::Array);
  if (reader.size() != size) return fail_length(reader, size);
  std::size_t i = 0;
  reader.each_element([&](Reader& element) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static_cast<void>(((i == I ? (read_value(element, get<I>(out)), true) : false) || ...));
    }(std::make_index_sequence<size>{});
    ++i;
  });
}

template <class T>
void read_pointer(Reader& reader, T& out) {
  using Object = typename T::element_type;
  if constexpr (requires { typename T::deleter_type; }) {
    static_assert(spelled_type<typename T::deleter_type>().find("= std::default_delete<") != std::string_view::npos,
                  "tern: a std::unique_ptr with a deleter of its own cannot be read from JSON");
  }
  if (reader.is(Kinds::Null)) return out.reset();
  out.reset(new Object{});
  read_value(reader, *out);
}

// A leaf of a struct: one value, or none.
template <class T>
void read_single(Reader& reader, T& out) {
  constexpr Shape is = shape<T>;
  if constexpr (is == Shape::Null) {
    if (!reader.is(Kinds::Null)) reader.expected(Kinds::Null);
  } else if constexpr (is == Shape::Boolean) {
    reader.boolean(out);
  } else if constexpr (is == Shape::Integer) {
    read_integer(reader, out);
  } else if constexpr (is == Shape::Fraction) {
    reader.number(out);
  } else if constexpr (is == Shape::Character) {
    read_character(reader, out);
  } else if constexpr (is == Shape::Text) {
    static_assert(
        requires(std::string_view text) { out.assign(text.data(), text.size()); },
        "tern: views of text can only be written as JSON; read into a std::string");
    std::string_view text;
    if (reader.text(text)) out.assign(text.data(), text.size());
  } else if constexpr (is == Shape::Raw) {
    static_assert(std::is_same_v<T, Raw>,
                  "tern: tern::json::RawView can only be written as JSON; read into a tern::json::Raw");
    if constexpr (std::is_same_v<T, Raw>) reader.raw(out.text);
  } else if constexpr (is == Shape::Enum) {
    std::int64_t value = 0;
    if (read_enum(reader, enum_table<T>(), value)) out = static_cast<T>(value);
  } else if constexpr (is == Shape::Time) {
    using Duration = typename T::duration;
    std::int64_t ticks = 0;
    if (read_time(reader, Duration::period::num, Duration::period::den, ticks)) {
      out = T(Duration(static_cast<typename T::rep>(ticks)));
    }
  } else if constexpr (is == Shape::Duration) {
    typename T::rep ticks{};
    if (reader.value(ticks)) out = T(ticks);
  } else if constexpr (is == Shape::Optional) {
    if (reader.is(Kinds::Null)) return out.reset();
    read_value(reader, out.emplace());
  } else {
    static_assert(is == Shape::Pointer);
    read_pointer(reader, out);
  }
}

template <class T>
void read_value(Reader& reader, T& out) {
  constexpr Shape is = shape<T>;
  static_assert(is != Shape::None,
                "tern: this type cannot be read from JSON; make it an aggregate or specialise tern::JsonCodec");
  static_assert(is != Shape::View, "tern: this range can only be written as JSON; read into a container");
  if constexpr (is == Shape::Codec && HasRules<T>) {
    const std::size_t before = reader.problem_count();
    JsonCodec<T>::read(reader, out);
    if (reader.problem_count() == before) check_value(reader, compiled_rules<T>(), &out);
  } else if constexpr (is == Shape::Codec) {
    JsonCodec<T>::read(reader, out);
  } else if constexpr (is == Shape::Struct) {
    read_struct(reader, &out, read_table<T>);
  } else if constexpr (is == Shape::Variant) {
    read_variant(reader, out);
  } else if constexpr (is == Shape::Tuple) {
    read_tuple(reader, out);
  } else if constexpr (is == Shape::Array) {
    read_array(reader, out);
  } else if constexpr (is == Shape::Map) {
    read_map(reader, out);
  } else if constexpr (is == Shape::Set) {
    read_set(reader, out);
  } else if constexpr (is == Shape::Sequence) {
    read_sequence(reader, out);
  } else if constexpr (is != Shape::None && is != Shape::View) {
    read_single(reader, out);
  }
}

}  // namespace detail

// Reads one document into a default-constructible T. Reentrant. Allocates what T needs; the parser's memory is
// allocated once per thread for documents of up to 64 KiB. May throw std::bad_alloc, and exceptions of a JsonCodec.
template <class T>
std::expected<T, Error> read(std::string_view text, const Limits& limits = {}) {
  static_assert(detail::shape<T> != detail::Shape::None,
                "tern: this type cannot be read from JSON; make it an aggregate or specialise tern::JsonCodec");
  static_assert(std::is_default_constructible_v<T>, "tern: what is read from JSON must be default-constructible");
  std::expected<T, Error> result;
  Error error;
  if (!detail::read_document(text, limits, &*result, &detail::read_erased<T>, error)) {
    result = std::unexpected<Error>(std::move(error));
  }
  return result;
}

}  // namespace tern::json
