#include "openapi/rule_writer.hpp"

#include <algorithm>
#include <string_view>

namespace tern::openapi {
namespace {

using json::Rule;
using json::RuleKind;
using json::RuleNumber;
using json::Writer;

void number(Writer& out, const RuleNumber& value) {
  switch (value.type) {
    case RuleNumber::Type::Signed: return out.integer(value.integer);
    case RuleNumber::Type::Unsigned: return out.unsigned_integer(value.unsigned_integer);
    case RuleNumber::Type::Fraction: return out.number(value.fraction);
    case RuleNumber::Type::None: return out.null();
  }
}

void keyword(Writer& out, std::string_view name, const RuleNumber& value) {
  out.key(name);
  number(out, value);
}

void keyword(Writer& out, std::string_view name, std::string_view text) {
  out.key(name);
  out.text(text);
}

void flag(Writer& out, std::string_view name) {
  out.key(name);
  out.boolean(true);
}

void value(Writer& out, const Rule& rule) {
  if (rule.number.type != RuleNumber::Type::None) {
    number(out, rule.number);
  } else if (rule.is_json) {
    out.raw(rule.text);
  } else {
    out.text(rule.text);
  }
}

// All rules of this kind in one array.
void list(Writer& out, std::string_view name, const RulesAt& at, RuleKind kind) {
  if (!at.has({kind})) return;
  out.key(name);
  out.begin_array();
  for (const Rule& rule : at.rules) {
    if (rule.depth == at.depth && rule.kind == kind) value(out, rule);
  }
  out.end_array();
}

void write_rule(Writer& out, const Rule& rule) {
  switch (rule.kind) {
    case RuleKind::Minimum: return keyword(out, "minimum", rule.number);
    case RuleKind::Maximum: return keyword(out, "maximum", rule.number);
    case RuleKind::ExclusiveMinimum: return keyword(out, "exclusiveMinimum", rule.number);
    case RuleKind::ExclusiveMaximum: return keyword(out, "exclusiveMaximum", rule.number);
    case RuleKind::MultipleOf: return keyword(out, "multipleOf", rule.number);
    case RuleKind::MinLength: return keyword(out, "minLength", rule.number);
    case RuleKind::MaxLength: return keyword(out, "maxLength", rule.number);
    case RuleKind::Pattern: return keyword(out, "pattern", rule.text);
    case RuleKind::Format: return keyword(out, "format", format_name(rule.format));
    case RuleKind::MinItems: return keyword(out, "minItems", rule.number);
    case RuleKind::MaxItems: return keyword(out, "maxItems", rule.number);
    case RuleKind::UniqueItems: return flag(out, "uniqueItems");
    case RuleKind::MinProperties: return keyword(out, "minProperties", rule.number);
    case RuleKind::MaxProperties: return keyword(out, "maxProperties", rule.number);
    case RuleKind::ReadOnly: return flag(out, "readOnly");
    case RuleKind::WriteOnly: return flag(out, "writeOnly");
    case RuleKind::Description: return keyword(out, "description", rule.text);
    case RuleKind::Deprecated: return flag(out, "deprecated");
    case RuleKind::OneOf:
    case RuleKind::Example:
    case RuleKind::Check: return;
  }
}

}  // namespace

bool RulesAt::has(std::initializer_list<RuleKind> kinds) const {
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    return rule.depth == depth && std::ranges::find(kinds, rule.kind) != kinds.end();
  });
}

// A keyword that is stated twice is written once: JSON has no two members of one name.
void write_rules(Writer& out, const RulesAt& at) {
  for (auto rule = at.rules.begin(); rule != at.rules.end(); ++rule) {
    const auto is_same = [&](const Rule& other) { return other.depth == at.depth && other.kind == rule->kind; };
    if (rule->depth != at.depth || std::any_of(at.rules.begin(), rule, is_same)) continue;
    const bool is_text = rule->kind == RuleKind::Description || rule->kind == RuleKind::Deprecated;
    if (!is_text || !at.without_texts) write_rule(out, *rule);
  }
  list(out, "enum", at, RuleKind::OneOf);
  list(out, "examples", at, RuleKind::Example);
}

}  // namespace tern::openapi
