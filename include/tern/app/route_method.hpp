// The method of a route.
#pragma once

#include <tern/http/method.hpp>

#include <string_view>
#include <type_traits>

namespace tern {

// A method by its enumerator, or by its token ("PURGE", "SUBSCRIBE"), which may be any (RFC 9110, section 9.1). A view
// of the token, valid during the call.
struct RouteMethod {
  constexpr RouteMethod(Method known) noexcept : method(known) {}  // NOLINT: its value
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  RouteMethod(const Text& token) noexcept  // NOLINT
      : method(parse_method(token).value_or(Method::Extension)),
        extension(method == Method::Extension ? std::string_view(token) : std::string_view()) {}

  Method method;
  std::string_view extension = {};  // the token of Method::Extension
};

}  // namespace tern
