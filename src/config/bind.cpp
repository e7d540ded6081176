#include "config/bind.hpp"

#include "config/secret_file.hpp"
#include "config/visit.hpp"

#include <algorithm>

namespace tern::configuration {
namespace {

// Whether the struct around a member has initialised it: `Database database = {.url = "postgresql:///shop"}`.
bool is_initialised(const Type& type, const void* value) {
  return type.kind == Kind::Text && type.scalar != nullptr && !type.scalar(value).text.empty();
}

bool fits(Kind kind, Node::Type type) {
  if (type == Node::Type::Any) return true;
  switch (kind) {
    case Kind::Boolean: return type == Node::Type::Boolean;
    case Kind::Integer: return type == Node::Type::Integer;
    case Kind::Fraction: return type == Node::Type::Integer || type == Node::Type::Fraction;
    case Kind::Size: return type == Node::Type::Integer || type == Node::Type::Text;
    case Kind::Duration: return type == Node::Type::Text || type == Node::Type::Integer;
    default: return type == Node::Type::Text;
  }
}

void append_json(const Node& node, std::string& out) {
  switch (node.type) {
    case Node::Type::Boolean:
    case Node::Type::Integer:
    case Node::Type::Fraction: out.append(node.text); return;
    case Node::Type::Any:
    case Node::Type::Text:
    case Node::Type::Time: json::write(out, node.text); return;
    case Node::Type::List:
      out.push_back('[');
      for (const Node& element : node.elements) {
        if (&element != &node.elements.front()) out.push_back(',');
        append_json(element, out);
      }
      out.push_back(']');
      return;
    case Node::Type::Table:
      out.push_back('{');
      for (const auto& [key, member] : node.members) {
        if (out.back() != '{') out.push_back(',');
        json::write(out, key);
        out.push_back(':');
        append_json(member, out);
      }
      out.push_back('}');
      return;
  }
}

}  // namespace

std::string Binder::source_of(const std::string& path) const {
  const auto origin = origins_.find(path);
  return origin == origins_.end() ? "default" : origin->second.source;
}

std::string Binder::place_of(const std::string& path) const {
  const auto origin = origins_.find(path);
  return origin == origins_.end() ? std::string() : origin->second.place + ": ";
}

void Binder::fault(const Node& node, const std::string& path, const std::string& what) {
  std::string line = node.origin.place + ": ";
  if (!path.empty() && node.type != Node::Type::Any) line += path + ": ";
  faults_.push_back(line + what);
}

void Binder::missing(const std::string& path) {
  std::string line = path + " is missing";
  const auto leaf = std::ranges::find(leaves_, path, &Leaf::path);
  if (leaf != leaves_.end() && leaf->is_settable()) {
    const bool hidden = leaf->is_hidden();
    line += ": set it in the file, by " + leaf->variable + (hidden ? "_FILE" : "") + " or by --" + leaf->flag +
            (hidden ? "-file" : "");
  }
  faults_.push_back(std::move(line));
}

void Binder::unknown(std::string_view name, const Node& node, const Type& type, const std::string& path) {
  std::vector<std::string> names;
  for (const Member& member : type.members) names.emplace_back(member.name);
  std::string proposal = did_you_mean(name, names);
  if (proposal.empty()) {
    names.clear();
    for (const Leaf& leaf : leaves_) names.push_back(leaf.path);
    proposal = did_you_mean(joined(path, name), names);
  }
  faults_.push_back(node.origin.place + ": unknown key `" + joined(path, name) + "`" + proposal);
}

void Binder::assign_struct(const Type& type, void* object, const Node& node, const std::string& path) {
  if (node.type != Node::Type::Table) {
    return fault(node, path, "expected a table, not " + std::string(type_name(node.type)));
  }
  std::vector<void*> addresses(type.members.size());
  if (!addresses.empty()) type.addresses(object, addresses.data());
  for (const auto& [key, value] : node.members) {
    const auto member = std::ranges::find(type.members, key, &Member::name);
    if (member != type.members.end()) {
      const auto index = static_cast<std::size_t>(member - type.members.begin());
      assign_value(member->type(), addresses[index], value, joined(path, key));
      continue;
    }
    // A hidden member in a file of its own: `password_file`.
    constexpr std::string_view ending = "_file";
    const std::string_view name = key;
    const auto hidden = std::ranges::find_if(type.members, [&](const Member& each) {
      return each.is_hidden && name.ends_with(ending) && name.substr(0, name.size() - ending.size()) == each.name;
    });
    if (hidden == type.members.end()) {
      unknown(key, value, type, path);
      continue;
    }
    if (node.find(hidden->name) != nullptr) {
      fault(value, joined(path, key), "`" + std::string(hidden->name) + "` is there, too");
      continue;
    }
    Node in_file = value;
    in_file.is_file = true;
    const auto index = static_cast<std::size_t>(hidden - type.members.begin());
    assign_value(hidden->type(), addresses[index], in_file, joined(path, hidden->name));
  }
}

void Binder::assign_value(const Type& type, void* object, const Node& node, const std::string& path) {
  if (type.kind == Kind::Optional) {
    return assign_value(type.element(), type.append(object, {}), node, path);
  }
  if (type.kind == Kind::Struct) return assign_struct(type, object, node, path);
  origins_[path] = node.origin;
  switch (type.kind) {
    case Kind::List: return assign_list(type, object, node, path);
    case Kind::Map: return assign_map(type, object, node, path);
    case Kind::Other: return assign_other(type, object, node, path);
    default: return assign_scalar(type, object, node, path);
  }
}

void Binder::assign_list(const Type& type, void* object, const Node& node, const std::string& path) {
  type.clear(object);
  if (node.type == Node::Type::Any) {  // a variable: "a,b"
    for (std::size_t begin = 0; begin < node.text.size();) {
      const std::size_t end = std::min(node.text.find(',', begin), node.text.size());
      Node element = node;
      element.text = node.text.substr(begin, end - begin);
      assign_value(type.element(), type.append(object, {}), element, path);
      begin = end + 1;
    }
    return;
  }
  if (node.type != Node::Type::List) {
    return fault(node, path, "expected a list, not " + std::string(type_name(node.type)));
  }
  for (std::size_t i = 0; i < node.elements.size(); ++i) {
    assign_value(type.element(), type.append(object, {}), node.elements[i], path + "[" + std::to_string(i) + "]");
  }
}

void Binder::assign_map(const Type& type, void* object, const Node& node, const std::string& path) {
  if (node.type != Node::Type::Table) {
    return fault(node, path, "expected a table, not " + std::string(type_name(node.type)));
  }
  type.clear(object);
  for (const auto& [key, value] : node.members) {
    assign_value(type.element(), type.append(object, key), value, joined(path, key));
  }
}

void Binder::assign_scalar(const Type& type, void* object, const Node& node, const std::string& path) {
  std::string text = node.text;
  if (node.is_file) {
    auto content = read_secret(node.text);
    if (!content) return fault(node, path, content.error());
    text = std::move(*content);
  }
  if (!fits(type.kind, node.type)) {
    return fault(node, path, "expected " + type.expected() + ", not " + std::string(type_name(node.type)));
  }
  if (type.parse(text, object)) return;
  std::string not_this = ", not \"" + text + "\"";
  if (type.kind == Kind::Secret || node.is_file) not_this.clear();
  fault(node, path, "expected " + type.expected() + not_this);
}

void Binder::assign_other(const Type& type, void* object, const Node& node, const std::string& path) {
  std::string text;
  append_json(node, text);
  std::string error = type.read_json(text, object);
  if (!error.empty() && node.type == Node::Type::Any) {  // the text itself is JSON
    if (type.read_json(node.text, object).empty()) return;
  }
  if (!error.empty()) fault(node, path, error);
}

void Binder::check_value(const Type& type, const void* value, const std::string& path) {
  switch (type.kind) {
    case Kind::Struct: return check_struct(type, value, path);
    case Kind::Optional:
      return visit_elements(type, value,
                            [&](std::string_view, const void* element) { check_value(type.element(), element, path); });
    case Kind::List: {
      std::size_t index = 0;
      return visit_elements(type, value, [&](std::string_view, const void* element) {
        check_value(type.element(), element, path + "[" + std::to_string(index++) + "]");
      });
    }
    case Kind::Map:
      return visit_elements(type, value, [&](std::string_view key, const void* element) {
        check_value(type.element(), element, joined(path, key));
      });
    default: return;
  }
}

void Binder::check_struct(const Type& type, const void* object, const std::string& path) {
  std::vector<void*> addresses(type.members.size());
  if (!addresses.empty()) type.addresses(const_cast<void*>(object), addresses.data());
  const std::size_t before = faults_.size();
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    const Member& member = type.members[i];
    const std::string inner = joined(path, member.name);
    if (!member.may_be_missing && !origins_.contains(inner) && !is_initialised(member.type(), addresses[i])) {
      missing(inner);
    } else {
      check_value(member.type(), addresses[i], inner);
    }
  }
  if (type.rules != nullptr && faults_.size() == before) check_rules(type, addresses.data(), object, path);
}

void Binder::check_rules(const Type& type, void* const* addresses, const void* object, const std::string& path) {
  const std::size_t before = faults_.size();
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    if (json::detail::has_rules(type.rules(), i)) {
      check_member_rules(type, i, addresses[i], joined(path, type.members[i].name));
    }
  }
  if (faults_.size() != before) return;
  std::vector<std::string_view> names;
  for (const Member& member : type.members) names.push_back(member.name);
  std::vector<json::Problem> problems;
  json::detail::check_struct(type.rules(), object, names, problems);
  for (const json::Problem& problem : problems) {
    const std::string inner = problem.path.empty() ? path : joined(path, problem.path);
    faults_.push_back(place_of(inner) + (inner.empty() ? "" : inner + ": ") + problem.message);
  }
}

void Binder::check_member_rules(const Type& type, std::size_t index, const void* value, const std::string& path) {
  const Type* member = &type.members[index].type();
  std::vector<json::detail::ScalarValue> values;
  const auto add = [&values](const Type& of, const void* each) {
    if (of.scalar != nullptr) values.push_back(of.scalar(each));
  };
  const void* one = value;
  if (member->kind == Kind::Optional) {
    one = nullptr;
    visit_elements(*member, value, [&one](std::string_view, const void* element) { one = element; });
    if (one == nullptr) return;
    member = &member->element();
  }
  std::vector<json::Problem> problems;
  if (member->kind == Kind::List || member->kind == Kind::Map) {
    visit_elements(*member, one, [&](std::string_view, const void* element) { add(member->element(), element); });
    json::detail::check_list(type.rules(), index, values, path, problems);
  } else {
    add(*member, one);
    if (!values.empty()) json::detail::check_scalar(type.rules(), index, values.front(), path, problems);
  }
  for (const json::Problem& problem : problems) {
    faults_.push_back(place_of(path) + path + ": " + problem.message);
  }
}

}  // namespace tern::configuration
