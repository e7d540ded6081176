#include <tern/http/method.hpp>

#include <array>
#include <cstddef>

namespace tern {
namespace {

constexpr std::array<std::string_view, method_count> method_names = {
    "GET",  "HEAD",  "POST", "PUT",      "DELETE",    "CONNECT", "OPTIONS", "TRACE",  "PATCH",  "COPY",   "LINK",
    "LOCK", "MKCOL", "MOVE", "PROPFIND", "PROPPATCH", "PURGE",   "REPORT",  "SEARCH", "UNLINK", "UNLOCK", "QUERY"};

}  // namespace

std::string_view method_name(Method method) noexcept {
  return method == Method::Extension ? std::string_view() : method_names[static_cast<std::size_t>(method)];
}

std::optional<Method> parse_method(std::string_view token) noexcept {
  if (token == "GET") return Method::Get;
  if (token == "POST") return Method::Post;
  for (std::size_t i = 0; i < method_names.size(); ++i) {
    if (method_names[i] == token) return static_cast<Method>(i);
  }
  return std::nullopt;
}

}  // namespace tern
