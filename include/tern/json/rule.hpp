// Rules on values as data: what tern::Rules<T> (codec.hpp) states, without templates. One validator walks them, and a
// description of T (a JSON Schema) is written from them. <tern/rules.hpp> has the functions that make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tern/base/number.hpp>
#include <tern/json/codec.hpp>
#include <tern/json/validate.hpp>

namespace tern {

// The formats of JSON Schema that are checked (2020-12, validation, section 7.3).
enum class Format : std::uint8_t {
  Email,     // RFC 5321, section 4.1.2: an ASCII mailbox
  Uri,       // RFC 3986: with a scheme
  Uuid,      // RFC 9562
  Date,      // RFC 3339 full-date: 2024-02-29
  DateTime,  // RFC 3339 date-time
  Ipv4,      // four decimal numbers (RFC 2673, section 3.2)
  Ipv6,      // RFC 4291, section 2.2, without a zone
  Hostname,  // RFC 1123, section 2.1
};

// The name in JSON Schema: "email", "date-time".
constexpr std::string_view format_name(Format format) {
  constexpr std::string_view names[] = {"email", "uri", "uuid", "date", "date-time", "ipv4", "ipv6", "hostname"};
  return names[static_cast<std::size_t>(format)];
}

namespace json {

// A rule is a keyword of JSON Schema. The comment says which fields of Rule it uses.
enum class RuleKind : std::uint8_t {
  Minimum,           // number: the smallest valid value
  Maximum,           // number
  ExclusiveMinimum,  // number: below the smallest valid value
  ExclusiveMaximum,  // number
  MultipleOf,        // number, above zero
  MinLength,         // number (count), in Unicode code points
  MaxLength,         // number (count)
  Pattern,           // text: RE2 syntax, found anywhere in the value; message, if it is not empty
  Format,            // format
  MinItems,          // number (count)
  MaxItems,          // number (count)
  UniqueItems,       // -
  MinProperties,     // number (count): of a map
  MaxProperties,     // number (count)
  OneOf,             // text or number: an allowed value; a member has one OneOf for each ("enum" in JSON Schema)
  Check,             // text: code; message; holds: a predicate over the whole struct
  Description,       // text
  Example,           // text, number, or JSON text if `is_json`
  Deprecated,        // -
  ReadOnly,          // -: not taken from requests
  WriteOnly,         // -: not written to responses
};

// An exact number: an integer of 64 bits, or a double.
struct RuleNumber {
  enum class Type : std::uint8_t { None, Signed, Unsigned, Fraction } type = Type::None;
  std::int64_t integer = 0;            // Signed
  std::uint64_t unsigned_integer = 0;  // Unsigned: only where `integer` is too small
  double fraction = 0;                 // Fraction

  constexpr RuleNumber() = default;
  template <class N>
    requires((base::Integer<N> || std::is_floating_point_v<N>) && !std::is_same_v<N, bool>)
  constexpr RuleNumber(N value) {  // NOLINT: a number is one
    if constexpr (std::is_floating_point_v<N>) {
      type = Type::Fraction;
      fraction = static_cast<double>(value);
    } else if (value > N{0} && static_cast<std::uint64_t>(value) > std::uint64_t{INT64_MAX}) {
      type = Type::Unsigned;
      unsigned_integer = static_cast<std::uint64_t>(value);
    } else {
      type = Type::Signed;
      integer = static_cast<std::int64_t>(value);
    }
  }

  // The nearest double.
  constexpr double approximate() const {
    if (type == Type::Fraction) return fraction;
    return type == Type::Signed ? static_cast<double>(integer) : static_cast<double>(unsigned_integer);
  }
  // Exact: its mantissa has at least 64 bits.
  constexpr long double wide() const {
    if (type == Type::Fraction) return static_cast<long double>(fraction);
    return type == Type::Signed ? static_cast<long double>(integer) : static_cast<long double>(unsigned_integer);
  }
  // Of lengths and numbers of items.
  constexpr std::size_t count() const {
    return type == Type::Unsigned ? static_cast<std::size_t>(unsigned_integer) : static_cast<std::size_t>(integer);
  }
};

// One rule. All texts live as long as the program.
struct Rule {
  RuleKind kind = RuleKind::Description;
  Format format = Format::Email;
  // 0: about the value itself; 1: about each of its elements, or of its mapped values; 2: about theirs.
  std::uint8_t depth = 0;
  bool is_json = false;  // of an Example
  RuleNumber number = {};
  std::string_view text = {};
  std::string_view message = {};
  // The C++ name of the member. Empty: about the whole value. Of a Check: where its violation is reported; `number` is
  // its index then.
  std::string_view member = {};
  bool (*holds)(const void* object) = nullptr;  // of a Check
};

// The rules of one type, grouped by member. Constant data.
struct RuleTable {
  const Rule* rules = nullptr;
  const std::uint16_t* ends = nullptr;  // of each group in `rules`: the members, the whole value, the checks
  std::size_t member_count = 0;
  std::uint64_t read_only = 0;   // bit I stands for member I
  std::uint64_t write_only = 0;  // the same
  std::string_view type = {};    // T as the compiler spells it, for messages

  bool empty() const { return rules == nullptr; }
  // The rules of a member, by its index in member_names<T>(), in the order in which they are stated: those of each
  // depth, documentation included.
  std::span<const Rule> of_member(std::size_t index) const { return group(index); }
  // The rules of the value itself: Description, Example and Deprecated of a struct, everything for a parameter.
  std::span<const Rule> of_value() const { return group(member_count); }
  // The predicates over the whole struct.
  std::span<const Rule> checks() const { return group(member_count + 1); }

private:
  std::span<const Rule> group(std::size_t index) const {
    if (empty()) return {};
    const std::size_t begin = index == 0 ? 0 : ends[index - 1];
    return {rules + begin, ends[index] - begin};
  }
};

namespace detail {

inline constexpr RuleTable no_rules{};

}  // namespace detail

// The rules of T: a struct, a type with a JsonCodec, or a type derived from a parameter such as QueryParam. An empty
// table if Rules<T> is not specialised. The table lives as long as the program; nested types have tables of their own.
template <class T>
constexpr const RuleTable& rules_of() {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (detail::HasRules<Plain>) {
    return detail::RuleTableOf<Plain>::table;
  } else {
    return detail::no_rules;
  }
}

namespace detail {

// The rules of T with their patterns compiled, by the first call. Throws std::invalid_argument, naming T and the
// member, for a malformed pattern. From any thread.
template <class T>
const CompiledRules& compiled_rules() {
  static const CompiledRules& compiled = compile_rules(rules_of<T>());
  return compiled;
}

}  // namespace detail
}  // namespace json
}  // namespace tern
