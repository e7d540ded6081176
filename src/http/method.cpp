#include <tern/http/method.hpp>

#include <array>
#include <cstddef>

namespace tern {
namespace {

constexpr std::array<std::string_view, method_count> names = {
    "GET",  "HEAD",  "POST", "PUT",      "DELETE",    "CONNECT", "OPTIONS", "TRACE",  "PATCH",  "COPY",  "LINK",
    "LOCK", "MKCOL", "MOVE", "PROPFIND", "PROPPATCH", "PURGE",   "REPORT",  "SEARCH", "UNLINK", "UNLOCK"};

}  // namespace

std::string_view method_name(Method method) noexcept {
  return names[static_cast<std::size_t>(method)];
}

std::optional<Method> parse_method(std::string_view token) noexcept {
  if (token == "GET") return Method::Get;
  if (token == "POST") return Method::Post;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == token) return static_cast<Method>(i);
  }
  return std::nullopt;
}

}  // namespace tern
