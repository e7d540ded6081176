// The rules of one type, ready to be checked: documentation left out, patterns compiled.
#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tern/json/rule.hpp>
#include <tern/json/validate.hpp>

namespace tern::json::detail {

// |value| = mantissa * 10^exponent.
struct Decimal {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

struct CompiledRule {
  const Rule* rule;
  std::unique_ptr<const re2::RE2> regex;  // of a Pattern
  std::vector<const Rule*> alternatives;  // all OneOf of its value; `rule` is the first
  Decimal divisor;                        // of MultipleOf
};

// What keeps all rules of one depth, for most valid values: limits that are tested without looking at each rule. Where
// a kind of value has other rules, its range is empty.
struct QuickRange {
  double min_number = -std::numeric_limits<double>::infinity();
  double max_number = std::numeric_limits<double>::infinity();
  std::size_t min_bytes = 0;
  std::size_t max_bytes = static_cast<std::size_t>(-1);
  std::size_t min_items = 0;
  std::size_t max_items = static_cast<std::size_t>(-1);

  bool has_number(double value) const { return value >= min_number && value <= max_number; }
  bool has_integer(std::int64_t value) const {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    return value >= -exact && value <= exact && has_number(static_cast<double>(value));
  }
  bool has_text(std::size_t bytes) const { return bytes >= min_bytes && bytes <= max_bytes; }
  bool has_array(std::size_t items) const { return items >= min_items && items <= max_items; }
};

// The rules of one member: those of its elements included.
struct RuleGroup {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t max_depth = 0;
  QuickRange quick[2] = {};  // of depth 0 and 1
};

class CompiledRules {
public:
  // Throws std::invalid_argument for a malformed pattern.
  explicit CompiledRules(const RuleTable& table);

  // By the index of a member; `whole_value` for those of the value itself.
  const RuleGroup& group(std::size_t member) const {
    return groups_[member == whole_value ? table_->member_count : member];
  }
  std::span<const CompiledRule> of(const RuleGroup& group) const {
    return {rules_.data() + group.begin, group.end - group.begin};
  }
  std::span<const CompiledRule> of(std::size_t member) const { return of(group(member)); }
  std::span<const Rule> checks() const { return table_->checks(); }
  std::uint64_t read_only() const { return table_->read_only; }
  std::uint64_t write_only() const { return table_->write_only; }

private:
  void add(const Rule& rule, std::size_t group_begin);

  const RuleTable* table_;
  std::vector<CompiledRule> rules_;
  std::vector<RuleGroup> groups_;
};

// The problem with a value that does not keep `rule`; its path is empty.
Problem violation(const CompiledRule& rule);
Problem violation(const Rule& check);

// Whether a scalar keeps the rule, or the rule is about other kinds of values.
bool keeps(const CompiledRule& rule, const ScalarValue& value);
bool keeps_size(const CompiledRule& rule, RuleKind min, RuleKind max, std::size_t size);

// Whether no two of the values are equal.
bool all_different(std::span<const ScalarValue> values);

}  // namespace tern::json::detail
