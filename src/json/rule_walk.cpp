#include "json/rule_walk.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "json/unique.hpp"

namespace tern::json::detail {

namespace dom = simdjson::dom;

namespace {

ScalarValue scalar_of(dom::element element) {
  ScalarValue scalar;
  switch (element.type()) {
    case dom::element_type::INT64:
      scalar.type = ScalarValue::Type::Signed;
      scalar.integer = std::int64_t(element);
      break;
    case dom::element_type::UINT64:
      scalar.type = ScalarValue::Type::Unsigned;
      scalar.unsigned_integer = std::uint64_t(element);
      break;
    case dom::element_type::DOUBLE:
      scalar.type = ScalarValue::Type::Fraction;
      scalar.fraction = double(element);
      break;
    case dom::element_type::STRING:
      scalar.type = ScalarValue::Type::Text;
      scalar.text = std::string_view(element);
      break;
    default: break;
  }
  return scalar;
}

// The number of elements, which simdjson saturates.
constexpr std::size_t saturated_size = 0xFFFFFF;
template <class Container>
std::size_t size_of(const Container& container) {
  const std::size_t size = container.size();
  if (size < saturated_size) return size;
  std::size_t count = 0;
  for (auto at = container.begin(); at != container.end(); ++at) ++count;
  return count;
}

// --- Equality as in JSON Schema: objects are equal whatever the order of their members
// --------------------------------

std::uint64_t hash_of_element(dom::element element) {
  constexpr std::uint64_t of_array = 11;
  constexpr std::uint64_t of_object = 12;
  if (element.is_array()) {
    std::uint64_t hash = of_array;
    for (const dom::element child : dom::array(element)) hash = mix(hash, hash_of_element(child));
    return hash;
  }
  if (element.is_object()) {
    std::uint64_t sum = of_object;
    for (const dom::key_value_pair member : dom::object(element)) {
      sum += mix(hash_of(member.key), hash_of_element(member.value));
    }
    return mix(sum, of_object);
  }
  if (element.is_bool()) return bool(element) ? 1 : 2;
  return element.is_null() ? 3 : hash_of(scalar_of(element));
}

bool equal_elements(dom::element a, dom::element b);

bool equal_arrays(const dom::array& a, const dom::array& b) {
  auto left = a.begin();
  auto right = b.begin();
  for (; left != a.end() && right != b.end(); ++left, ++right) {
    if (!equal_elements(*left, *right)) return false;
  }
  return !(left != a.end()) && !(right != b.end());
}

std::vector<dom::key_value_pair> sorted_members(const dom::object& object) {
  std::vector<dom::key_value_pair> members;
  for (const dom::key_value_pair member : object) members.push_back(member);
  std::ranges::sort(members, {}, &dom::key_value_pair::key);
  return members;
}

bool equal_objects(const dom::object& a, const dom::object& b) {
  if (a.size() != b.size()) return false;
  const auto left = sorted_members(a);
  const auto right = sorted_members(b);
  return std::ranges::equal(left, right, [](const dom::key_value_pair& x, const dom::key_value_pair& y) {
    return x.key == y.key && equal_elements(x.value, y.value);
  });
}

bool equal_elements(dom::element a, dom::element b) {
  if (a.is_string() && b.is_string()) return std::string_view(a) == std::string_view(b);
  if (a.is_array() || b.is_array()) return a.is_array() && b.is_array() && equal_arrays(a, b);
  if (a.is_object() || b.is_object()) return a.is_object() && b.is_object() && equal_objects(a, b);
  if (a.is_bool() || b.is_bool()) return a.is_bool() && b.is_bool() && bool(a) == bool(b);
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  return is_equal(scalar_of(a), scalar_of(b));
}

bool elements_differ(const dom::array& array) {
  if (array.size() < 2) return true;
  std::vector<dom::element> elements;
  for (const dom::element element : array) elements.push_back(element);
  return all_different(
      elements.size(), [&elements](std::size_t i) { return hash_of_element(elements[i]); },
      [&elements](std::size_t i, std::size_t j) { return equal_elements(elements[i], elements[j]); });
}

bool keeps_array(const CompiledRule& rule, const dom::array& array) {
  switch (rule.rule->kind) {
    case RuleKind::UniqueItems: return elements_differ(array);
    case RuleKind::MinItems:
    case RuleKind::MaxItems: return keeps_size(rule, RuleKind::MinItems, RuleKind::MaxItems, size_of(array));
    default: return true;
  }
}

bool keeps_object(const CompiledRule& rule, const dom::object& object) {
  if (rule.rule->kind != RuleKind::MinProperties && rule.rule->kind != RuleKind::MaxProperties) return true;
  return keeps_size(rule, RuleKind::MinProperties, RuleKind::MaxProperties, size_of(object));
}

}  // namespace

void RuleWalk::check_depth(Reader& value, const CompiledRules& rules, const RuleGroup& group, std::size_t depth) {
  check_each(value, rules, group, depth);
  if (group.max_depth > depth) check_elements(value, rules, group, depth + 1);
}

void RuleWalk::check_each(Reader& value, const CompiledRules& rules, const RuleGroup& group, std::size_t depth) {
  const dom::element element = element_of(value.node_);
  const bool is_array = element.is_array();
  const bool is_object = !is_array && element.is_object();
  const ScalarValue scalar = is_array || is_object ? ScalarValue{} : scalar_of(element);
  for (const CompiledRule& rule : rules.of(group)) {
    if (rule.rule->depth != depth) continue;
    bool is_kept = true;
    if (is_array) {
      is_kept = keeps_array(rule, dom::array(element));
    } else if (is_object) {
      is_kept = keeps_object(rule, dom::object(element));
    } else {
      is_kept = keeps(rule, scalar);
    }
    if (!is_kept) fail(value, violation(rule));
  }
}

void RuleWalk::check_elements(Reader& value, const CompiledRules& rules, const RuleGroup& group, std::size_t depth) {
  const dom::element element = element_of(value.node_);
  dom::array array;
  dom::object object;
  if (element.get_array().get(array) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const dom::element item : array) {
      if (value.state_.full()) return;
      Reader child(value.state_, &value, {}, index++, node_of(item));
      check_depth(child, rules, group, depth);
    }
  } else if (element.get_object().get(object) == simdjson::SUCCESS) {
    for (const dom::key_value_pair member : object) {
      if (value.state_.full()) return;
      Reader child(value.state_, &value, member.key, no_index, node_of(member.value));
      check_depth(child, rules, group, depth);
    }
  }
}

void RuleWalk::check_struct(Reader& value, const RuleTable& rules, const void* object, const ReadMember* members) {
  for (const Rule& check : rules.checks()) {
    if (check.holds(object)) continue;
    Problem problem = violation(check);
    problem.path = value.path();
    if (!check.member.empty()) append_pointer(problem.path, members[check.number.count()].name);
    value.state_.add(std::move(problem.path), problem.message, problem.code);
  }
}

void RuleWalk::fail(Reader& value, Problem violation) {
  value.fail(violation.message, violation.code, std::move(violation.expected));
}

void check_member(Reader& value, const CompiledRules& rules, std::size_t member) {
  RuleWalk::check(value, rules, member);
}

void check_value(Reader& reader, const CompiledRules& rules, const void* value) {
  const std::size_t before = reader.problem_count();
  RuleWalk::check(reader, rules, whole_value);
  if (reader.problem_count() == before) RuleWalk::check_struct(reader, rules.table(), value, nullptr);
}

}  // namespace tern::json::detail
