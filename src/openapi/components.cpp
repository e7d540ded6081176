#include "openapi/components.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>

namespace tern::openapi {
namespace {

using json::Schema;
using json::detail::Shape;

constexpr std::string_view problem_name = "Problem";  // of the library's error responses

bool is_name_char(char c) {
  return base::is_alpha(c) || base::is_digit(c) || c == '_';
}

std::string without_inner_names(std::string_view type) {
  std::string text(type);
  for (const std::string_view noise :
       {"std::__cxx11::basic_string<char>", "std::basic_string<char>", "{anonymous}", "(anonymous namespace)"}) {
    const std::string_view replacement = noise.starts_with("std") ? "string" : "";
    for (std::size_t at = 0; (at = text.find(noise, at)) != text.npos;) text.replace(at, noise.size(), replacement);
  }
  return text;
}

// Reads "a::b<c::d>" identifier by identifier. The parameters of a function that a type is local to are left out.
template <class F>
void each_path(std::string_view type, F path) {
  std::vector<std::string> parts;
  int depth = 0;
  for (std::size_t i = 0; i <= type.size(); ++i) {
    const char c = i < type.size() ? type[i] : ',';
    if (c == '(') ++depth;
    if (depth > 0) {
      if (c == ')') --depth;
      continue;
    }
    if (is_name_char(c)) {
      const std::size_t begin = i;
      while (i + 1 < type.size() && is_name_char(type[i + 1])) ++i;
      parts.emplace_back(type.substr(begin, i + 1 - begin));
    } else if (c != ':' && !parts.empty()) {
      path(parts);
      parts.clear();
    }
  }
}

}  // namespace

std::string short_name(std::string_view type) {
  std::string name;
  each_path(without_inner_names(type), [&name](const std::vector<std::string>& parts) {
    name.append(name.empty() ? "" : "_").append(parts.back());
  });
  return name;
}

std::string long_name(std::string_view type) {
  std::string name;
  each_path(without_inner_names(type), [&name](const std::vector<std::string>& parts) {
    if (!name.empty()) name += '_';
    for (std::size_t i = 0; i < parts.size(); ++i) name.append(i == 0 ? "" : ".").append(parts[i]);
  });
  return name;
}

const Schema& target_of(const Schema& schema) {
  const bool stands_for_another =
      schema.shape == Shape::Optional || schema.shape == Shape::Pointer || schema.shape == Shape::Codec;
  return stands_for_another && schema.of != nullptr ? target_of(*schema.of) : schema;
}

void Components::add(const Schema& schema, bool in_request, bool deny_unknown) {
  if (is_component(schema)) {
    const auto found = std::ranges::find(entries_, &schema, &Entry::schema);
    const bool is_new = found == entries_.end();
    Entry& entry = is_new ? entries_.emplace_back() : *found;
    const bool changes =
        (in_request ? !entry.in_requests : !entry.in_responses) || (deny_unknown && !entry.deny_unknown);
    if (!is_new && !changes) return;
    entry.schema = &schema;
    entry.in_requests = entry.in_requests || in_request;
    entry.in_responses = entry.in_responses || !in_request;
    entry.deny_unknown = entry.deny_unknown || deny_unknown;
  }
  if (schema.of != nullptr) add(*schema.of, in_request, deny_unknown);
  if (schema.key != nullptr) add(*schema.key, in_request, deny_unknown);
  for (const json::SchemaMember& member : schema.members) add(*member.schema, in_request, deny_unknown);
}

void Components::name_all() {
  const auto stated_or_short = [](const Entry& entry) {
    return entry.schema->name.empty() ? short_name(entry.schema->type) : std::string(entry.schema->name);
  };
  std::map<std::string, int> uses;
  for (const Entry& entry : entries_) ++uses[stated_or_short(entry)];
  for (const Entry& entry : entries_) {
    std::string name = stated_or_short(entry);
    if (uses[name] > 1 || name == problem_name || name.empty()) name = long_name(entry.schema->type);
    if (name.empty() || name == problem_name) name = "Type";
    std::string unique = name;
    for (int number = 2; named_.contains(unique); ++number) unique = name + "_" + std::to_string(number);
    names_.emplace(entry.schema, unique);
    named_.emplace(std::move(unique), entry);
  }
}

std::string_view Components::name(const Schema& schema) const {
  const auto found = names_.find(&schema);
  return found == names_.end() ? std::string_view() : found->second;
}

}  // namespace tern::openapi
