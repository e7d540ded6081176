// Values of a configuration into a struct.
#pragma once

#include "config/leaf.hpp"
#include "config/node.hpp"

#include <tern/config/type.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tern::configuration {

// One layer after the other, each over those before. Faults are collected, each as one line.
class Binder {
public:
  Binder(const std::vector<Leaf>& leaves, std::vector<std::string>& faults) : leaves_(leaves), faults_(faults) {}

  void assign(const Type& type, void* object, const Node& node) { assign_struct(type, object, node, {}); }

  // When all layers are in: members that are missing, and rules.
  void check(const Type& type, const void* object) { check_struct(type, object, {}); }

  // "default" if no layer had the setting.
  std::string source_of(const std::string& path) const;
  std::string place_of(const std::string& path) const;

private:
  void assign_value(const Type& type, void* object, const Node& node, const std::string& path);
  void assign_struct(const Type& type, void* object, const Node& node, const std::string& path);
  void assign_member(const Type& type, void* object, const Node& node, const std::string& path);
  void assign_list(const Type& type, void* object, const Node& node, const std::string& path);
  void assign_map(const Type& type, void* object, const Node& node, const std::string& path);
  void assign_scalar(const Type& type, void* object, const Node& node, const std::string& path);
  void assign_other(const Type& type, void* object, const Node& node, const std::string& path);
  void check_value(const Type& type, const void* value, const std::string& path);
  void check_struct(const Type& type, const void* object, const std::string& path);
  void check_rules(const Type& type, void* const* addresses, const void* object, const std::string& path);
  void check_member_rules(const Type& type, std::size_t index, const void* value, const std::string& path);
  void missing(const std::string& path);
  void unknown(std::string_view name, const Node& node, const Type& type, const std::string& path);
  void fault(const Node& node, const std::string& path, const std::string& what);

  const std::vector<Leaf>& leaves_;
  std::vector<std::string>& faults_;
  std::map<std::string, Origin> origins_;
};

}  // namespace tern::configuration
