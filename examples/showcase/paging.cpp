#include "paging.hpp"

#include <tern/http/uri.hpp>
#include <tern/rules.hpp>

#include <cstdint>

namespace showcase {
namespace {

struct Limits {
  std::int64_t limit = 20;
  std::int64_t offset = 0;
};

}  // namespace
}  // namespace showcase

template <>
struct tern::Rules<showcase::Limits> {
  static constexpr auto list = tern::rules(
      tern::member<&showcase::Limits::limit>(tern::range(1, showcase::max_per_page), tern::describe("How many items")),
      tern::member<&showcase::Limits::offset>(tern::minimum(0), tern::describe("How many to leave out")));
};

namespace showcase {

std::string Window::link(std::size_t start) const {
  std::string link(path);
  link += "?limit=" + std::to_string(limit) + "&offset=" + std::to_string(start);
  std::string_view rest = query;
  std::string_view name;
  std::string_view value;
  while (tern::next_pair(rest, name, value)) {
    if (name == "limit" || name == "offset") continue;
    link.append("&").append(name).append("=").append(value);
  }
  return link;
}

}  // namespace showcase

std::expected<showcase::Window, tern::Rejection> tern::Extract<showcase::Window>::from(tern::Request& request) {
  const auto wanted = tern::Extract<tern::Query<showcase::Limits>>::from(request);
  if (!wanted) return std::unexpected(wanted.error());
  return showcase::Window{static_cast<std::size_t>(wanted->value.limit), static_cast<std::size_t>(wanted->value.offset),
                          request.path(), request.query()};
}

void tern::Extract<showcase::Window>::describe(tern::Operation& operation) {
  operation.query<showcase::Limits>();
}
