#include <tern/web/cross_origin_protection.hpp>

#include "web/cross_origin.hpp"
#include "web/origin.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/problem.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace tern {
namespace {

bool is_same_origin(std::string_view text, std::string_view host) noexcept {
  const auto origin = web::parse_origin(text);
  if (!origin) return false;  // "null" among others
  const auto own = web::parse_authority(host, web::default_port(origin->scheme));
  return own && own->port == origin->port && base::equals_ignoring_case(own->host, origin->host);
}

// The host that the browser sees. Behind a trusted proxy that replaces Host, X-Forwarded-Host has it; a list may be of
// several proxies and of the client, and is not used.
std::string_view public_host(const Request& request) {
  if (request.from_trusted_proxy() && request.fields().count("x-forwarded-host") == 1) {
    const std::string_view forwarded = request.field("x-forwarded-host").value_or("");
    if (!forwarded.empty() && !forwarded.contains(',')) return forwarded;
  }
  return request.host();
}

bool has_field_twice(const Request& request) noexcept {
  return request.fields().count("origin") > 1 || request.fields().count("sec-fetch-site") > 1;
}

}  // namespace

namespace web {

bool is_safe(Method method) noexcept {
  return method == Method::Get || method == Method::Head || method == Method::Options || method == Method::Query;
}

bool is_from_elsewhere(const Request& request, const OriginList& trusted) {
  if (has_field_twice(request)) return true;
  const auto site = request.field("sec-fetch-site");
  const auto origin = request.field("origin");
  if (site == "same-origin" || site == "none") return false;
  if (!site && !origin) return false;
  if (origin && trusted.contains(*origin)) return false;
  return site || !is_same_origin(*origin, public_host(request));
}

Response refuse_cross_origin(Request& request) {
  return request.exchange().refuse(
      Problem{Status::Forbidden, "the request comes from a page of another origin", {}, {}});
}

}  // namespace web

CrossOriginProtection::CrossOriginProtection(std::vector<std::string> trusted)
    : trusted_(base::make_box<web::OriginList>(trusted, "CrossOriginProtection")) {}

CrossOriginProtection::CrossOriginProtection(const CrossOriginProtection& other)
    : trusted_(base::make_box<web::OriginList>(*other.trusted_)) {}

CrossOriginProtection& CrossOriginProtection::operator=(CrossOriginProtection other) noexcept {
  trusted_ = std::move(other.trusted_);
  return *this;
}

Reply CrossOriginProtection::operator()(Request& request, Next next) const {
  if (web::is_safe(request.method()) || !web::is_from_elsewhere(request, *trusted_)) return next();
  return web::refuse_cross_origin(request);
}

void CrossOriginProtection::describe(Operation& operation) const {
  if (!operation.is_safe()) operation.problem(Status::Forbidden, "The request comes from a page of another origin");
}

}  // namespace tern
