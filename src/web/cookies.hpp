// All cookies of a name: a subdomain can add one to those of the site.
#pragma once

#include <tern/base/ascii.hpp>
#include <tern/http/fields.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tern::web {

// Calls visit(value) for the values of all cookies of that name.
template <class F>
void for_cookies(const RequestFields& fields, std::string_view name, F visit) {
  for (const Field& field : fields) {
    if (!base::equals_ignoring_case(field.name, "cookie")) continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      const std::string_view pair = base::trim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t equals = pair.find('=');
      if (equals != pair.npos && pair.substr(0, equals) == name) visit(pair.substr(equals + 1));
    }
  }
}

}  // namespace tern::web
