// JSON Schema (2020-12) of types.
#pragma once

#include "openapi/components.hpp"
#include "openapi/rule_writer.hpp"

#include <tern/json/schema.hpp>
#include <tern/json/writer.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tern::openapi {

class SchemaWriter {
public:
  SchemaWriter(json::Writer& out, const Components& components) : out_(out), components_(components) {}

  // The schema of a value: a reference for structs and enumerations.
  void value(const json::Schema& schema, const RulesAt& rules = {}) { write(schema, false, {}, {}, rules); }
  // The same of one that has a default, as JSON text, or an expression; empty: none.
  void value(const json::Schema& schema, std::string_view default_json, std::string_view pattern,
             const RulesAt& rules) {
    write(schema, false, default_json, pattern, rules);
  }
  // Of a struct or an enumeration itself.
  void component(const Components::Entry& entry);
  // The members of a struct as the properties of a form, with files.
  void form(const json::Schema& schema);

private:
  void write(const json::Schema& schema, bool nullable, std::string_view default_json, std::string_view pattern,
             const RulesAt& rules);
  void write_plain(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void reference(const json::Schema& schema, bool nullable);
  void type(std::string_view name, bool nullable);
  void integer(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void fraction(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void duration(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void tuple(const json::Schema& schema, bool nullable);
  void map(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void list(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void map_keys(const json::Schema& key);
  void variant(const json::Schema& schema, bool nullable);
  void discriminator(const json::Schema& variant);
  void alternative(const json::Schema& variant, std::size_t index);
  void codec(const json::Schema& schema, bool nullable, const RulesAt& rules);
  void structure(const Components::Entry& entry);
  void required(const std::vector<std::string_view>& names);
  void struct_texts(const json::RuleTable& rules);
  void key_text(std::string_view key, std::string_view text);

  json::Writer& out_;
  const Components& components_;
};

// The initial values of a struct's members that may be missing, as JSON by index; empty where there is none, or it is
// no scalar.
std::vector<std::string> defaults_of(const json::Schema& schema);
// The rules of a member.
RulesAt rules_of_member(const json::Schema& schema, std::size_t index);
// Whether member `index` must be there in a request.
bool is_required(const json::Schema& schema, std::size_t index);

}  // namespace tern::openapi
