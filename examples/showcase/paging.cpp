#include "paging.hpp"

#include <tern/http/uri.hpp>

#include <cstdint>

namespace showcase {
namespace {

struct Limits {
  std::int64_t limit = 20;
  std::int64_t offset = 0;
};

}  // namespace

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
  const auto [limit, offset] = wanted->value;
  tern::Problem problem{tern::Status::UnprocessableContent, "some parameters are wrong", {}, {}};
  if (limit < 1 || static_cast<std::size_t>(limit) > showcase::max_per_page) {
    problem.errors.push_back({"limit", "expected 1 to " + std::to_string(showcase::max_per_page)});
  }
  if (offset < 0) problem.errors.push_back({"offset", "expected 0 or more"});
  if (!problem.errors.empty()) return std::unexpected(tern::Rejection(std::move(problem)));
  return showcase::Window{static_cast<std::size_t>(limit), static_cast<std::size_t>(offset), request.path(),
                          request.query()};
}
