// The validator, as far as reading knows it: rules of a type are opaque here (rule.hpp), and checked in src/json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <tern/json/codec.hpp>
#include <tern/json/error.hpp>
#include <tern/json/reader.hpp>

namespace tern::json {

struct RuleTable;
struct Rule;

namespace detail {

class CompiledRules;

// Lives as long as the program.
const CompiledRules& compile_rules(const RuleTable& table);
// Defined in rule.hpp, which everything that specialises tern::Rules includes.
template <class T>
const CompiledRules& compiled_rules();

// A scalar that was read, for the validator; text is a view.
struct ScalarValue {
  enum class Type : std::uint8_t { None, Signed, Unsigned, Fraction, Text } type = Type::None;
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;
  double fraction = 0;
  std::string_view text = {};
};

// Checks a value of a type with a JsonCodec that was read without a problem.
void check_value(Reader& reader, const CompiledRules& rules, const void* value);

// For values that are not read from JSON: parameters, members of query strings and forms. `whole_value` stands for the
// index of a member where the rules are about the value itself. Violations are added to `problems` with `name` as path.
constexpr std::size_t whole_value = static_cast<std::size_t>(-1);
// At most this many are listed.
constexpr std::size_t max_violations = 100;
bool has_rules(const CompiledRules& rules, std::size_t member);
void check_scalar(const CompiledRules& rules, std::size_t member, const ScalarValue& value, std::string_view name,
                  std::vector<Problem>& problems);
void check_list(const CompiledRules& rules, std::size_t member, std::span<const ScalarValue> values,
                std::string_view name, std::vector<Problem>& problems);
// The predicates over a struct whose members are valid.
void check_struct(const CompiledRules& rules, const void* object, std::span<const std::string_view> names,
                  std::vector<Problem>& problems);

}  // namespace detail
}  // namespace tern::json
