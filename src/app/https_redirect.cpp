#include <tern/app/https_redirect.hpp>

#include <tern/base/ascii.hpp>
#include <tern/http/problem.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tern {
namespace {

// The host without its port. Empty unless its characters are those of a name or an address: it becomes part of a URI.
std::string_view host_of(std::string_view authority) {
  const bool literal = authority.starts_with('[');
  const std::size_t end = literal ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  const std::string_view port = authority.substr(end);
  if (!port.empty() && !(port.front() == ':' && std::ranges::all_of(port.substr(1), base::is_digit))) return {};
  const std::string_view host = authority.substr(0, end);
  const auto fits = [literal](char c) {
    if (literal) return base::hex_value(c) >= 0 || c == ':' || c == '.';
    return base::is_alpha(c) || base::is_digit(c) || c == '.' || c == '-' || c == '_';
  };
  const std::string_view inside = literal && end != 0 ? host.substr(1, end - 2) : host;
  return std::ranges::all_of(inside, fits) && !inside.empty() ? host : std::string_view();
}

}  // namespace

Reply HttpsRedirect::operator()(Request& request, Next next) const {
  if (request.scheme() == "https") return next();
  const std::string_view to = host.empty() ? host_of(request.host()) : std::string_view(host);
  if (to.empty() || !request.path().starts_with('/')) {
    return request.exchange().refuse(
        Problem{Status::BadRequest, "this is served by https only, and the request does not say where", {}, {}});
  }
  std::string location = "https://";
  location += to;
  if (port != 443) location += ':' + std::to_string(port);
  location += request.path();
  if (!request.query().empty()) location.append("?").append(request.query());
  return Response::redirect(location, Status::PermanentRedirect);
}

}  // namespace tern
