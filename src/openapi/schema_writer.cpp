#include "openapi/schema_writer.hpp"

#include <tern/json/read.hpp>
#include <tern/json/write.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>

namespace tern::openapi {
namespace {

using json::Kinds;
using json::RuleKind;
using json::Schema;
using json::SchemaMember;
using json::detail::Shape;

template <class T>
T load(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

std::int64_t load_integer(const Schema& schema, const void* address) {
  switch (schema.bytes) {
    case 1: return schema.is_signed ? load<std::int8_t>(address) : load<std::uint8_t>(address);
    case 2: return schema.is_signed ? load<std::int16_t>(address) : load<std::uint16_t>(address);
    case 4: return schema.is_signed ? std::int64_t{load<std::int32_t>(address)} : load<std::uint32_t>(address);
    default: return load<std::int64_t>(address);
  }
}

// A scalar at `address` as JSON; empty for other types.
std::string scalar_text(const Schema& schema, const void* address) {
  switch (schema.shape) {
    case Shape::Boolean: return load<bool>(address) ? "true" : "false";
    case Shape::Integer:
      if (schema.bytes == 8 && !schema.is_signed) return json::to_string(load<std::uint64_t>(address));
      return json::to_string(load_integer(schema, address));
    case Shape::Fraction:
      return schema.bytes == 4 ? json::to_string(load<float>(address)) : json::to_string(load<double>(address));
    case Shape::Duration: return scalar_text(*schema.of, address);
    case Shape::Text:
      return schema.is_string ? json::to_string(*static_cast<const std::string*>(address)) : std::string();
    case Shape::Enum:
      if (const auto name = schema.names().name(load_integer(schema, address))) return json::to_string(*name);
      return {};
    default: return {};
  }
}

struct Bounds {
  std::string min;
  std::string max;
};

Bounds bounds_of(const Schema& schema) {
  const int bits = schema.bytes * 8;
  if (schema.is_signed) {
    const std::int64_t max = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return {std::to_string(-max - 1), std::to_string(max)};
  }
  return {"0", std::to_string(std::numeric_limits<std::uint64_t>::max() >> (64 - bits))};
}

std::string_view integer_format(const Schema& schema) {
  constexpr std::array<std::string_view, 4> of_signed = {"int8", "int16", "int32", "int64"};
  constexpr std::array<std::string_view, 4> of_unsigned = {"uint8", "uint16", "uint32", "uint64"};
  const std::size_t index = schema.bytes == 1 ? 0 : schema.bytes == 2 ? 1 : schema.bytes == 4 ? 2 : 3;
  return schema.is_signed ? of_signed[index] : of_unsigned[index];
}

std::string unit_of(const Schema& schema) {
  struct Unit {
    std::int64_t numerator;
    std::int64_t denominator;
    std::string_view name;
  };
  constexpr Unit units[] = {{1, 1'000'000'000, "Nanoseconds"},
                            {1, 1'000'000, "Microseconds"},
                            {1, 1000, "Milliseconds"},
                            {1, 1, "Seconds"},
                            {60, 1, "Minutes"},
                            {3600, 1, "Hours"},
                            {86400, 1, "Days"}};
  for (const Unit& unit : units) {
    if (unit.numerator == schema.numerator && unit.denominator == schema.denominator) return std::string(unit.name);
  }
  return "Units of " + std::to_string(schema.numerator) + "/" + std::to_string(schema.denominator) + " seconds";
}

}  // namespace

RulesAt rules_of_member(const Schema& schema, std::size_t index) {
  if (schema.rules == nullptr) return {};
  return {schema.rules->of_member(index)};
}

bool is_required(const Schema& schema, std::size_t index) {
  const std::uint64_t read_only = schema.rules == nullptr ? 0 : schema.rules->read_only;
  return ((schema.defaults->may_be_missing() | read_only) >> index & 1) == 0;
}

std::vector<std::string> defaults_of(const Schema& schema) {
  struct Context {
    const Schema& schema;
    std::vector<std::string> texts;
  };
  Context context{schema, std::vector<std::string>(schema.members.size())};
  schema.defaults->fresh(&context, [](void* given, const void* const* members) {
    auto& found = *static_cast<Context*>(given);
    for (std::size_t i = 0; i < found.texts.size(); ++i) {
      if (is_required(found.schema, i)) continue;
      found.texts[i] = scalar_text(*found.schema.members[i].schema, members[i]);
    }
  });
  return std::move(context.texts);
}

void SchemaWriter::key_text(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out_.key(key);
  out_.text(text);
}

void SchemaWriter::type(std::string_view name, bool nullable) {
  out_.key("type");
  if (!nullable) return out_.text(name);
  out_.begin_array();
  out_.text(name);
  out_.text("null");
  out_.end_array();
}

void SchemaWriter::reference(const Schema& schema, bool nullable) {
  const auto write_reference = [&] {
    out_.key("$ref");
    out_.text("#/components/schemas/" + std::string(components_.name(schema)));
  };
  if (!nullable) return write_reference();
  out_.key("anyOf");
  out_.begin_array();
  out_.begin_object();
  write_reference();
  out_.end_object();
  out_.begin_object();
  type("null", false);
  out_.end_object();
  out_.end_array();
}

void SchemaWriter::write(const Schema& schema, bool nullable, std::string_view default_json, std::string_view pattern,
                         const RulesAt& rules) {
  out_.begin_object();
  write_plain(schema, nullable, rules);
  const bool has_own = schema.shape == Shape::Codec && schema.rules != nullptr && rules.rules.empty();
  write_rules(out_, has_own ? RulesAt{schema.rules->of_value()} : rules);
  if (!rules.has({RuleKind::Pattern})) key_text("pattern", pattern);
  if (!default_json.empty()) {
    out_.key("default");
    out_.raw(default_json);
  }
  out_.end_object();
}

// The keywords of the type, within an object, without those that rules replace.
void SchemaWriter::write_plain(const Schema& schema, bool nullable, const RulesAt& rules) {
  switch (schema.shape) {
    case Shape::Optional:
    case Shape::Pointer: return write_plain(*schema.of, true, rules);
    case Shape::Codec: return codec(schema, nullable, rules);
    case Shape::Null: return type("null", false);
    case Shape::Boolean: return type("boolean", nullable);
    case Shape::Integer: return integer(schema, nullable, rules);
    case Shape::Fraction: return fraction(schema, nullable, rules);
    case Shape::Character:
      type("string", nullable);
      if (rules.has({RuleKind::MinLength, RuleKind::MaxLength})) return;
      out_.key("minLength");
      out_.integer(1);
      out_.key("maxLength");
      out_.integer(1);
      out_.key("pattern");
      return out_.text(R"(^[\x00-\x7F]$)");
    case Shape::Text: return type("string", nullable);
    case Shape::Time: type("string", nullable); return key_text("format", "date-time");
    case Shape::Duration: return duration(schema, nullable, rules);
    case Shape::Enum:
    case Shape::Struct: return reference(schema, nullable);
    case Shape::Variant: return variant(schema, nullable);
    case Shape::Map: return map(schema, nullable, rules);
    case Shape::Tuple: return tuple(schema, nullable);
    case Shape::Set:
    case Shape::Sequence:
    case Shape::View:
    case Shape::Array: return list(schema, nullable, rules);
    case Shape::Raw:
    case Shape::None: return;  // any value
  }
}

void SchemaWriter::list(const Schema& schema, bool nullable, const RulesAt& rules) {
  type("array", nullable);
  out_.key("items");
  value(*schema.of, rules.of_elements());
  if (schema.shape != Shape::Array || rules.has({RuleKind::MinItems, RuleKind::MaxItems})) return;
  out_.key("minItems");
  out_.unsigned_integer(schema.size);
  out_.key("maxItems");
  out_.unsigned_integer(schema.size);
}

void SchemaWriter::integer(const Schema& schema, bool nullable, const RulesAt& rules) {
  const Bounds bounds = bounds_of(schema);
  type("integer", nullable);
  key_text("format", integer_format(schema));
  if (!rules.has({RuleKind::Minimum, RuleKind::ExclusiveMinimum})) {
    out_.key("minimum");
    out_.raw(bounds.min);
  }
  if (!rules.has({RuleKind::Maximum, RuleKind::ExclusiveMaximum})) {
    out_.key("maximum");
    out_.raw(bounds.max);
  }
}

void SchemaWriter::fraction(const Schema& schema, bool nullable, const RulesAt& rules) {
  type("number", nullable);
  key_text("format", schema.bytes == 4 ? "float" : "double");
  if (schema.bytes != 4) return;
  if (!rules.has({RuleKind::Minimum, RuleKind::ExclusiveMinimum})) {
    out_.key("minimum");
    out_.number(std::numeric_limits<float>::lowest());
  }
  if (!rules.has({RuleKind::Maximum, RuleKind::ExclusiveMaximum})) {
    out_.key("maximum");
    out_.number(std::numeric_limits<float>::max());
  }
}

void SchemaWriter::duration(const Schema& schema, bool nullable, const RulesAt& rules) {
  write_plain(*schema.of, nullable, rules);
  if (!rules.has({RuleKind::Description}) || rules.without_texts) key_text("description", unit_of(schema));
}

void SchemaWriter::tuple(const Schema& schema, bool nullable) {
  type("array", nullable);
  out_.key("prefixItems");
  out_.begin_array();
  for (const SchemaMember& element : schema.members) value(*element.schema);
  out_.end_array();
  out_.key("items");  // there are no others; some tools want to see the keyword beside each array
  out_.begin_object();
  out_.end_object();
  out_.key("minItems");
  out_.unsigned_integer(schema.members.size());
  out_.key("maxItems");
  out_.unsigned_integer(schema.members.size());
}

void SchemaWriter::map(const Schema& schema, bool nullable, const RulesAt& rules) {
  type("object", nullable);
  out_.key("additionalProperties");
  value(*schema.of, rules.of_elements());
  map_keys(*schema.key);
}

void SchemaWriter::map_keys(const Schema& key) {
  if (key.shape != Shape::Integer && key.shape != Shape::Enum) return;
  out_.key("propertyNames");
  out_.begin_object();
  if (key.shape == Shape::Enum) {
    reference(key, false);
  } else {
    key_text("pattern", key.is_signed ? "^-?[0-9]+$" : "^[0-9]+$");
  }
  out_.end_object();
}

void SchemaWriter::codec(const Schema& schema, bool nullable, const RulesAt& rules) {
  if (!schema.text.empty() && !nullable && rules.rules.empty() && schema.rules == nullptr) {
    // Generators of clients make a class of its own for an allOf.
    const auto keywords = json::read<std::map<std::string, json::Raw>>(schema.text);
    if (keywords) {
      for (const auto& [key, stated] : *keywords) {
        out_.key(key);
        out_.raw(stated.text);
      }
      return;
    }
  }
  if (!schema.text.empty()) {
    out_.key(nullable ? "anyOf" : "allOf");
    out_.begin_array();
    out_.raw(schema.text);
    if (nullable) out_.raw(R"({"type":"null"})");
    return out_.end_array();
  }
  if (schema.of != nullptr) return write_plain(*schema.of, nullable, rules);
  if (schema.kinds == Kinds::None) return;
  out_.key("type");
  out_.begin_array();
  const auto add = [&](Kinds kinds, std::string_view name) {
    if ((schema.kinds & kinds) != Kinds::None) out_.text(name);
  };
  add(Kinds::Boolean, "boolean");
  if ((schema.kinds & Kinds::Fraction) == Kinds::None) add(Kinds::Integer, "integer");
  add(Kinds::Fraction, "number");
  add(Kinds::String, "string");
  add(Kinds::Array, "array");
  add(Kinds::Object, "object");
  if (nullable || (schema.kinds & Kinds::Null) != Kinds::None) out_.text("null");
  out_.end_array();
}

void SchemaWriter::component(const Components::Entry& entry) {
  const Schema& schema = *entry.schema;
  out_.begin_object();
  if (schema.shape == Shape::Enum) {
    const auto& names = schema.names().names();
    type("string", false);
    if (!names.empty()) {
      out_.key("enum");
      out_.begin_array();
      for (const std::string_view name : names) out_.text(name);
      out_.end_array();
    }
  } else {
    structure(entry);
  }
  out_.end_object();
}

void SchemaWriter::required(const std::vector<std::string_view>& names) {
  if (names.empty()) return;
  out_.key("required");
  out_.begin_array();
  for (const std::string_view name : names) out_.text(name);
  out_.end_array();
}

// What is said about the whole struct; predicates have no keyword.
void SchemaWriter::struct_texts(const json::RuleTable& rules) {
  std::string description;
  for (const json::Rule& rule : rules.of_value()) {
    if (rule.kind == RuleKind::Description && description.empty()) description = rule.text;
  }
  for (const json::Rule& check : rules.checks()) {
    if (!description.empty()) description += "\n\n";
    description += check.message;
  }
  key_text("description", description);
  write_rules(out_, {rules.of_value(), 0, true});
}

void SchemaWriter::structure(const Components::Entry& entry) {
  const Schema& schema = *entry.schema;
  type("object", false);
  if (schema.rules != nullptr) struct_texts(*schema.rules);
  const std::vector<std::string> defaults =
      entry.in_requests ? defaults_of(schema) : std::vector<std::string>(schema.members.size());
  const std::uint64_t not_written = schema.rules == nullptr || !entry.in_responses ? 0 : schema.rules->write_only;
  std::vector<std::string_view> names;
  out_.key("properties");
  out_.begin_object();
  if (const json::Discriminator& own = schema.discriminator; !own.member.empty()) {
    out_.key(own.member);
    out_.begin_object();
    type("string", false);
    key_text("const", own.value);
    out_.end_object();
    names.push_back(own.member);
  }
  for (std::size_t i = 0; i < schema.members.size(); ++i) {
    out_.key(schema.members[i].name);
    value(*schema.members[i].schema, defaults[i], {}, rules_of_member(schema, i));
    const bool may_be_missing = (entry.in_requests && !is_required(schema, i)) || (not_written >> i & 1) != 0;
    if (!may_be_missing) names.push_back(schema.members[i].name);
  }
  out_.end_object();
  required(names);
  if (entry.in_requests && (entry.deny_unknown || schema.deny_unknown)) {
    out_.key("additionalProperties");
    out_.boolean(false);
  }
}

// A value of a form may be missing, but it is never null; a list may be empty.
void SchemaWriter::form(const Schema& schema) {
  const std::vector<std::string> defaults = defaults_of(schema);
  const auto is_list = [](const Schema& member) {
    return member.shape == Shape::Sequence || member.shape == Shape::Set || member.shape == Shape::View;
  };
  const auto is_file = [](const Schema& member) { return target_of(member).shape == Shape::None; };
  constexpr std::string_view file = R"({"type":"string","format":"binary"})";
  std::vector<std::string_view> names;
  out_.begin_object();
  type("object", false);
  out_.key("properties");
  out_.begin_object();
  for (std::size_t i = 0; i < schema.members.size(); ++i) {
    const Schema& member = *schema.members[i].schema;
    out_.key(schema.members[i].name);
    if (is_file(member)) {
      out_.raw(file);
    } else if (is_list(member) && is_file(*member.of)) {
      out_.raw(R"({"type":"array","items":)" + std::string(file) + "}");
    } else {
      value(target_of(member), defaults[i], {}, rules_of_member(schema, i));
    }
    if (is_list(member) || member.shape == Shape::Optional) continue;
    if (is_file(member) || is_required(schema, i)) names.push_back(schema.members[i].name);
  }
  out_.end_object();
  required(names);
  out_.end_object();
}

}  // namespace tern::openapi
