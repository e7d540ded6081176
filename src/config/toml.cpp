#include "config/toml.hpp"

#include <toml++/toml.h>

#include <sstream>

namespace tern::configuration {
namespace {

Origin origin_of(const std::string& name, const toml::source_region& region) {
  const std::string line = name + ":" + std::to_string(region.begin.line);
  return {line + ":" + std::to_string(region.begin.column), line};
}

std::string text_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&text](const auto& value) {
    if constexpr (toml::is_date<decltype(value)> || toml::is_time<decltype(value)> ||
                  toml::is_date_time<decltype(value)>) {
      text << value.get();
    }
  });
  return text.str();
}

std::string fraction(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

Node convert(const toml::node& from, const std::string& name);

void convert_table(const toml::table& table, const std::string& name, Node& node) {
  node.type = Node::Type::Table;
  for (const auto& [key, value] : table) {
    Node& member = node.members.emplace_back(std::string(key.str()), convert(value, name)).node;
    // An unknown name is reported at the name, a wrong value at the value; both are on one line, or nearly so.
    if (member.type != Node::Type::Table) continue;
    if (const auto place = key.source(); place.begin.line != 0) member.origin = origin_of(name, place);
  }
}

Node convert(const toml::node& from, const std::string& name) {
  Node node;
  node.origin = origin_of(name, from.source());
  if (const toml::table* table = from.as_table()) {
    convert_table(*table, name, node);
  } else if (const toml::array* array = from.as_array()) {
    node.type = Node::Type::List;
    for (const toml::node& element : *array) node.elements.push_back(convert(element, name));
  } else if (const auto* text = from.as_string()) {
    node.type = Node::Type::Text;
    node.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.type = Node::Type::Integer;
    node.text = std::to_string(integer->get());
  } else if (const auto* number = from.as_floating_point()) {
    node.type = Node::Type::Fraction;
    node.text = fraction(number->get());
  } else if (const auto* boolean = from.as_boolean()) {
    node.type = Node::Type::Boolean;
    node.text = boolean->get() ? "true" : "false";
  } else {
    node.type = Node::Type::Time;
    node.text = text_of(from);
  }
  return node;
}

}  // namespace

std::expected<Node, std::string> read_toml(std::string_view text, const std::string& name) {
  try {
    Node node = convert(toml::parse(text, name), name);
    node.origin = {name, name};
    return node;
  } catch (const toml::parse_error& error) {
    return std::unexpected(origin_of(name, error.source()).place + ": " + std::string(error.description()));
  }
}

std::string_view type_name(Node::Type type) {
  switch (type) {
    case Node::Type::Any: return "a text";
    case Node::Type::Boolean: return "a boolean";
    case Node::Type::Integer: return "an integer";
    case Node::Type::Fraction: return "a fraction";
    case Node::Type::Text: return "a text";
    case Node::Type::Time: return "a date or time";
    case Node::Type::List: return "a list";
    case Node::Type::Table: return "a table";
  }
  return "a value";
}

}  // namespace tern::configuration
