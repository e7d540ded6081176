// Values of a configuration before they are bound to a struct, with the place that each comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::configuration {

// "shop.toml:3:1", "SHOP_PORT", "--port".
struct Origin {
  std::string place = {};   // with the column, for messages
  std::string source = {};  // without, for --check
};

struct NamedNode;

struct Node {
  enum class Type : std::uint8_t {
    Any,  // a text from the environment or the command line: whatever the member is
    Boolean,
    Integer,
    Fraction,
    Text,
    Time,  // of TOML, as RFC 3339
    List,
    Table,
  };

  Type type = Type::Table;
  std::string text = {};            // of a scalar
  std::vector<Node> elements = {};  // of a list
  std::vector<NamedNode> members;   // of a table
  Origin origin = {};
  bool is_file = false;  // the value is in the file of this name

  const Node* find(std::string_view name) const;
  // The member of that name, made if there is none.
  Node& at(std::string_view name);
};

// A struct of its own, not a pair: a pair asks for properties of Node before that is complete.
struct NamedNode {
  std::string key;
  Node node;
};

inline const Node* Node::find(std::string_view name) const {
  for (const auto& [key, node] : members) {
    if (key == name) return &node;
  }
  return nullptr;
}

inline Node& Node::at(std::string_view name) {
  for (auto& [key, node] : members) {
    if (key == name) return node;
  }
  return members.emplace_back(std::string(name), Node()).node;
}

// "an integer", for messages.
std::string_view type_name(Node::Type type);

}  // namespace tern::configuration
