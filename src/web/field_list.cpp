#include "web/field_list.hpp"

#include <string>

namespace tern::web {

bool has_element(const Response& response, std::string_view name, std::string_view element) noexcept {
  bool found = false;
  for_each_element(response, name,
                   [&](std::string_view each) { found = found || base::equals_ignoring_case(each, element); });
  return found;
}

void add_vary(Response& response, std::string_view name) {
  if (has_element(response, "vary", "*") || has_element(response, "vary", name)) return;
  std::string list;
  for_each_element(response, "vary", [&list](std::string_view each) {
    if (!each.empty()) list.append(each).append(", ");
  });
  response.set("vary", list.append(name));
}

}  // namespace tern::web
