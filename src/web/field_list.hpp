// Comma-separated lists in the fields of responses (RFC 9110, section 5.6.1).
#pragma once

#include <tern/base/ascii.hpp>
#include <tern/http/response.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tern::web {

// Calls `visit` with each element of a list, without blanks around it. Elements are not quoted.
template <class F>
void for_each_element(std::string_view list, F visit) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    visit(base::trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

// The same for all fields of that name.
template <class F>
void for_each_element(const Response& response, std::string_view name, F visit) {
  for (const Field& field : response.fields()) {
    if (base::equals_ignoring_case(field.name, name)) for_each_element(field.value, visit);
  }
}

bool has_element(const Response& response, std::string_view name, std::string_view element) noexcept;

// Adds a name to Vary, which stays one field.
void add_vary(Response& response, std::string_view name);

}  // namespace tern::web
