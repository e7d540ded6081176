// Checks the values of a document against rules, where they are read.
#pragma once

#include <cstddef>

#include "json/compiled_rules.hpp"
#include "json/read_state.hpp"

namespace tern::json::detail {

struct RuleWalk {
  // A value that was read without a problem: the rules of `member`, those of its elements included.
  static void check(Reader& value, const CompiledRules& rules, std::size_t member) {
    const RuleGroup& group = rules.group(member);
    if (group.begin != group.end) check_depth(value, rules, group, 0);
  }
  // The predicates over a struct without problems. `members` has the names.
  static void check_struct(Reader& value, const RuleTable& rules, const void* object, const ReadMember* members);

private:
  static void check_depth(Reader& value, const CompiledRules& rules, const RuleGroup& group, std::size_t depth);
  static void check_each(Reader& value, const CompiledRules& rules, const RuleGroup& group, std::size_t depth);
  static void check_elements(Reader& value, const CompiledRules& rules, const RuleGroup& group, std::size_t depth);
  static void fail(Reader& value, Problem violation);
};

}  // namespace tern::json::detail
