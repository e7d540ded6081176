// C++ values to JSON text.
//
// Numbers, text, bool, enums (by name; a value without a name as its number), containers, std::optional (nullopt is
// null), std::variant, pairs and tuples (arrays), points of system time (RFC 3339, UTC), durations (the number of their
// ticks), aggregates (by reflection) and types with a JsonCodec.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/json/enums.hpp>
#include <tern/json/shape.hpp>
#include <tern/json/writer.hpp>

namespace tern::json {

namespace detail {

template <class T>
void write_erased(Writer& writer, const void* value) {
  write_value(writer, *static_cast<const T*>(value));
}

template <std::size_t N>
struct WriteMembers {
  WriteMember items[N == 0 ? 1 : N];
};

template <class Struct, FixedText Member, class Type>
consteval void refuse_to_write() {
  static_assert(usable_member<Struct, Member, Type>,
                "tern: a member of this struct, named below, cannot be written as JSON; make its type an aggregate or "
                "specialise tern::JsonCodec");
}

template <class T, std::size_t I>
consteval auto member_writer() -> void (*)(Writer&, const void*) {
  using M = MemberType<T, I>;
  if constexpr (shape<M> == Shape::None) {
    refuse_to_write<T, fixed_name<T, I>, M>();
    return nullptr;
  } else {
    return &write_erased<M>;
  }
}

// `,"name":` of a member whose name has nothing to escape.
template <std::size_t Size>
struct QuotedName {
  constexpr explicit QuotedName(std::string_view name) {
    char* to = text;
    for (const char c : {',', '"'}) *to++ = c;
    for (const char c : name) *to++ = c;
    for (const char c : {'"', ':'}) *to++ = c;
  }
  char text[Size] = {};
};

template <class T, std::size_t I>
inline constexpr QuotedName<names_of<T>.items[I].size() + 4> quoted_name{names_of<T>.items[I]};

consteval bool is_plain_name(std::string_view name) {
  for (const char c : name) {
    if (c < 0x20 || c > 0x7E || c == '"' || c == '\\') return false;
  }
  return true;
}

template <class T, std::size_t I>
consteval WriteMember write_member() {
  constexpr std::string_view name = names_of<T>.items[I];
  if constexpr (is_plain_name(name)) {
    return {name, {quoted_name<T, I>.text, name.size() + 4}, member_writer<T, I>()};
  } else {
    return {name, {}, member_writer<T, I>()};
  }
}

template <class T>
inline constexpr auto write_members = []<std::size_t... I>(std::index_sequence<I...>) {
  return WriteMembers<sizeof...(I)>{{write_member<T, I>()...}};
}(std::make_index_sequence<member_count<T>>{});

template <class T>
void write_members_of(Writer& writer, const T& value) {
  constexpr std::size_t count = member_count<T>;
  const auto pointers = member_pointers(value);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const void* addresses[count + 1] = {leaf<I>(pointers)..., nullptr};
    if constexpr (HasRules<T>) {
      constexpr std::uint64_t write_only = RuleTableOf<T>::table.write_only;
      write_struct_without(writer, write_members<T>.items, addresses, count, write_only, discriminator_of<T>());
    } else if constexpr (HasDiscriminator<T>) {
      write_struct_without(writer, write_members<T>.items, addresses, count, 0, discriminator_of<T>());
    } else {
      write_struct(writer, write_members<T>.items, addresses, count);
    }
  }(std::make_index_sequence<count>{});
}

template <class K>
void write_key(Writer& writer, const K& key) {
  if constexpr (shape<K> == Shape::Text) {
    writer.key(key);
  } else {
    std::string text;
    if constexpr (shape<K> == Shape::Enum) {
      if (const auto name = enum_name(key)) {
        writer.key(*name);
        return;
      }
      base::append_integer(text, static_cast<std::int64_t>(key));
    } else {
      static_assert(shape<K> == Shape::Integer, "tern: the keys of a JSON object are strings, integers or enums");
      base::append_integer(text, key);
    }
    writer.key(text);
  }
}

template <class T>
void write_elements(Writer& writer, const T& range) {
  writer.begin_array();
  for (const auto& element : range) {
    // An element of std::vector<bool> may be referred to by a type of its own.
    if constexpr (std::same_as<typename T::value_type, bool>) {
      write_value(writer, static_cast<bool>(element));
    } else {
      write_value(writer, element);
    }
  }
  writer.end_array();
}

template <class T>
void write_tuple(Writer& writer, const T& tuple) {
  using std::get;
  writer.begin_array();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (write_value(writer, get<I>(tuple)), ...);
  }(std::make_index_sequence<std::tuple_size<T>::value>{});
  writer.end_array();
}

// Only <utility> is included; argument-dependent lookup finds std::get_if wherever a std::variant is.
template <template <class...> class V, class... A>
void write_variant(Writer& writer, const V<A...>& variant) {
  bool written = false;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(
        ((variant.index() == I ? (write_value(writer, *get_if<I>(&variant)), written = true) : false) || ...));
  }(std::index_sequence_for<A...>{});
  if (!written) writer.null();  // valueless by exception
}

template <class T>
void write_enum(Writer& writer, T value) {
  if (const auto name = enum_name(value)) {
    writer.text(*name);
  } else {
    write_value(writer, static_cast<std::underlying_type_t<T>>(value));
  }
}

// The scalars and the types that hold at most one value.
template <class T>
void write_single(Writer& writer, const T& value) {
  constexpr Shape is = shape<T>;
  if constexpr (is == Shape::Null) {
    writer.null();
  } else if constexpr (is == Shape::Boolean) {
    writer.boolean(value);
  } else if constexpr (is == Shape::Integer) {
    if constexpr (std::is_signed_v<T>) {
      writer.integer(value);
    } else {
      writer.unsigned_integer(value);
    }
  } else if constexpr (is == Shape::Fraction) {
    writer.number(value);
  } else if constexpr (is == Shape::Character) {
    writer.text(std::string_view(&value, 1));
  } else if constexpr (is == Shape::Text && std::is_pointer_v<T>) {
    if (value != nullptr) {
      writer.text(value);
    } else {
      writer.null();
    }
  } else if constexpr (is == Shape::Text) {
    writer.text(value);
  } else if constexpr (is == Shape::Raw) {
    writer.raw(value.text);
  } else if constexpr (is == Shape::Enum) {
    write_enum(writer, value);
  } else if constexpr (is == Shape::Time) {
    using Period = typename T::duration::period;
    write_time(writer, static_cast<std::int64_t>(value.time_since_epoch().count()), Period::num, Period::den);
  } else if constexpr (is == Shape::Duration) {
    write_value(writer, value.count());
  } else {
    static_assert(is == Shape::Optional || is == Shape::Pointer);
    if (value) {
      write_value(writer, *value);
    } else {
      writer.null();
    }
  }
}

template <class T>
void write_value(Writer& writer, const T& value) {
  constexpr Shape is = shape<T>;
  static_assert(is != Shape::None,
                "tern: this type cannot be written as JSON; make it an aggregate or specialise tern::JsonCodec");
  if constexpr (is == Shape::Codec) {
    JsonCodec<T>::write(writer, value);
  } else if constexpr (is == Shape::Struct) {
    write_members_of(writer, value);
  } else if constexpr (is == Shape::Variant) {
    write_variant(writer, value);
  } else if constexpr (is == Shape::Tuple) {
    write_tuple(writer, value);
  } else if constexpr (is == Shape::Map) {
    writer.begin_object();
    for (const auto& [key, member] : value) {
      write_key(writer, key);
      write_value(writer, member);
    }
    writer.end_object();
  } else if constexpr (is == Shape::Set || is == Shape::Sequence || is == Shape::View || is == Shape::Array) {
    write_elements(writer, value);
  } else if constexpr (is != Shape::None) {
    write_single(writer, value);
  }
}

}  // namespace detail

// Appends `value` to `out`. A member that is null is written, as null; one with the rule write_only() is not.
template <class T>
void write(std::string& out, const T& value) {
  Writer writer(out);
  detail::write_value(writer, value);
}

template <class T>
std::string to_string(const T& value) {
  std::string out;
  write(out, value);
  return out;
}

}  // namespace tern::json
