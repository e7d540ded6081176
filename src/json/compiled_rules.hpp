// The rules of one type, ready to be checked: documentation left out, patterns compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tern/json/rule.hpp>
#include <tern/json/validate.hpp>

#include "json/pattern.hpp"

namespace tern::json::detail {

// |value| = mantissa * 10^exponent.
struct Decimal {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

struct CompiledRule {
  const Rule* rule;
  std::unique_ptr<const Pattern> pattern;  // of a Pattern
  std::vector<const Rule*> alternatives;   // all OneOf of its value; `rule` is the first
  Decimal divisor;                         // of MultipleOf
};

// The rules of one member: those of its elements included.
struct RuleGroup {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t max_depth = 0;
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
  const RuleTable& table() const { return *table_; }

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
