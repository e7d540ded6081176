// The keywords of JSON Schema for rules (tern::Rules).
#pragma once

#include <tern/json/rule.hpp>
#include <tern/json/writer.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>

namespace tern::openapi {

// The rules about a value, and which of them: those of `depth`. Those below are about its elements.
struct RulesAt {
  std::span<const json::Rule> rules = {};
  std::uint8_t depth = 0;
  bool without_texts = false;  // description and deprecation are written elsewhere

  RulesAt of_elements() const { return {rules, static_cast<std::uint8_t>(depth + 1), false}; }
  bool has(std::initializer_list<json::RuleKind> kinds) const;
};

// Within the object of a schema.
void write_rules(json::Writer& out, const RulesAt& at);

}  // namespace tern::openapi
