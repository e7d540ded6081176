// The schemas of variants, and what selects their alternatives (json/variant.hpp).
#include "openapi/schema_writer.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tern::openapi {
namespace {

using json::Schema;
using json::SchemaMember;
using json::detail::Shape;

bool has_member(const Schema& schema, std::string_view name) {
  return std::ranges::find(schema.members, name, &SchemaMember::name) != schema.members.end();
}

// The members that only this alternative of a variant has; they tell it apart (json/variant.hpp).
std::vector<std::size_t> marks_of(const Schema& variant, std::size_t index) {
  const Schema& own = *variant.members[index].schema;
  std::vector<std::size_t> marks;
  for (std::size_t i = 0; i < own.members.size(); ++i) {
    const bool is_mark = std::ranges::none_of(variant.members, [&](const SchemaMember& other) {
      return other.schema != &own && other.schema->shape == Shape::Struct &&
             has_member(*other.schema, own.members[i].name);
    });
    if (is_mark) marks.push_back(i);
  }
  return marks;
}

// The discriminator that all structs of a variant have; empty: there is none.
std::string_view discriminator_of(const Schema& variant) {
  std::string_view member;
  for (const SchemaMember& each : variant.members) {
    if (each.schema->shape != Shape::Struct) continue;
    const std::string_view own = each.schema->discriminator.member;
    if (own.empty() || (!member.empty() && own != member)) return {};
    member = own;
  }
  return member;
}

}  // namespace

// An object is the alternative of which it has a member that the others have not.
void SchemaWriter::alternative(const Schema& variant, std::size_t index) {
  const Schema& own = *variant.members[index].schema;
  const auto others_are_structs = [&](const SchemaMember& other) {
    return other.schema != &own && other.schema->shape == Shape::Struct;
  };
  const std::vector<std::size_t> marks = marks_of(variant, index);
  const bool is_marked = own.shape != Shape::Struct || !discriminator_of(variant).empty() ||
                         std::ranges::none_of(variant.members, others_are_structs) ||
                         std::ranges::any_of(marks, [&own](std::size_t mark) { return is_required(own, mark); });
  out_.begin_object();
  write_plain(own, false, {});
  if (!is_marked) {
    out_.key("anyOf");
    out_.begin_array();
    for (const std::size_t mark : marks) {
      out_.begin_object();
      out_.key("required");
      out_.begin_array();
      out_.text(own.members[mark].name);
      out_.end_array();
      out_.end_object();
    }
    out_.end_array();
  }
  out_.end_object();
}

void SchemaWriter::variant(const Schema& schema, bool nullable) {
  const auto has = [&schema](Shape shape) {
    return std::ranges::find(schema.members, shape, [](const SchemaMember& each) { return each.schema->shape; }) !=
           schema.members.end();
  };
  // An integer is a number, too.
  out_.key(has(Shape::Integer) && has(Shape::Fraction) ? "anyOf" : "oneOf");
  out_.begin_array();
  for (std::size_t i = 0; i < schema.members.size(); ++i) alternative(schema, i);
  if (nullable && !has(Shape::Null)) {
    out_.begin_object();
    type("null", false);
    out_.end_object();
  }
  out_.end_array();
  // The keyword needs all alternatives to be components.
  const bool are_structs =
      std::ranges::all_of(schema.members, [](const SchemaMember& each) { return each.schema->shape == Shape::Struct; });
  if (are_structs && !nullable && !discriminator_of(schema).empty()) discriminator(schema);
}

void SchemaWriter::discriminator(const Schema& variant) {
  out_.key("discriminator");
  out_.begin_object();
  key_text("propertyName", discriminator_of(variant));
  out_.key("mapping");
  out_.begin_object();
  for (const SchemaMember& each : variant.members) {
    key_text(each.schema->discriminator.value, "#/components/schemas/" + std::string(components_.name(*each.schema)));
  }
  out_.end_object();
  out_.end_object();
}

}  // namespace tern::openapi
