// The types that a document names: structs and enumerations.
#pragma once

#include <tern/json/schema.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tern::openapi {

class Components {
public:
  struct Entry {
    const json::Schema* schema = nullptr;
    bool in_requests = false;
    bool in_responses = false;
    bool deny_unknown = false;
  };

  // Adds the type and all that it consists of. `deny_unknown`: requests with other members are refused.
  void add(const json::Schema& schema, bool in_request, bool deny_unknown = false);
  // Names everything that was added: by the type's name, with its namespaces where several types have the same.
  void name_all();

  // Of a struct or enumeration that was added.
  std::string_view name(const json::Schema& schema) const;
  // By name.
  const std::map<std::string, Entry, std::less<>>& named() const { return named_; }

private:
  std::vector<Entry> entries_;  // in the order of their first use
  std::map<std::string, Entry, std::less<>> named_;
  std::map<const json::Schema*, std::string> names_;
};

// The components of a type's name as the compiler spells it: "Page_Book" of "shop::Page<shop::Book>", and with
// namespaces "shop.Page_shop.Book".
std::string short_name(std::string_view type);
std::string long_name(std::string_view type);

constexpr bool is_component(const json::Schema& schema) {
  return schema.shape == json::detail::Shape::Struct || schema.shape == json::detail::Shape::Enum;
}

// The type itself: what an optional, a pointer, or a codec that names another type stands for.
const json::Schema& target_of(const json::Schema& schema);

}  // namespace tern::openapi
