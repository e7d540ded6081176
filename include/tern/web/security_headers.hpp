// Middleware that adds the response fields by which browsers protect a site, and the Content-Security-Policy among
// them.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

namespace web {
class SecurityFields;
}

// A Content-Security-Policy (https://www.w3.org/TR/CSP3/):
//
//   tern::ContentSecurityPolicy()
//       .allow("default-src", {"'self'"})
//       .allow("script-src", {"'self'", "'nonce'"})
//       .allow("frame-ancestors", {"'none'"})
//
// The source 'nonce' stands for the nonce of each response; see csp_nonce().
class ContentSecurityPolicy {
public:
  // Adds a directive; without sources it is a flag, such as "upgrade-insecure-requests". Throws SetupError for a
  // directive that is there already, for a source with a blank, ';' or ',', and for a keyword without its quotes, such
  // as "self".
  ContentSecurityPolicy& allow(std::string_view directive, std::initializer_list<std::string_view> sources = {});

  bool empty() const noexcept { return text_.empty(); }
  // "default-src 'self'; script-src 'self' 'nonce'"
  const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
};

// An empty text leaves a field out.
struct SecurityHeaderOptions {
  ContentSecurityPolicy policy = {};
  bool policy_reports_only = false;  // Content-Security-Policy-Report-Only
  // Strict-Transport-Security (RFC 6797), only in responses over TLS; unset: none.
  std::optional<Seconds> https_only = Seconds(180 * 24 * 3600);
  bool https_only_for_subdomains = false;
  std::string frame_options = "SAMEORIGIN";
  std::string referrer_policy = "strict-origin-when-cross-origin";
  std::string permissions_policy = {};  // "camera=(), geolocation=()"
  std::string cross_origin_opener_policy = "same-origin";
  std::string cross_origin_resource_policy = "same-origin";
  std::string cross_origin_embedder_policy = {};
};

// For an app, a group or a route:
//
//   app.use(tern::SecurityHeaders());
//
// Adds the fields of SecurityHeaderOptions, and `X-Content-Type-Options: nosniff`, `Origin-Agent-Cluster: ?1`,
// `X-Permitted-Cross-Domain-Policies: none` and `X-XSS-Protection: 0`. A field that the response has already stays as
// it is.
class SecurityHeaders {
public:
  SecurityHeaders() : SecurityHeaders(SecurityHeaderOptions()) {}
  // Throws SetupError for a value that a field cannot have.
  explicit SecurityHeaders(SecurityHeaderOptions options);
  SecurityHeaders(const SecurityHeaders& other);
  SecurityHeaders(SecurityHeaders&& other) noexcept = default;
  SecurityHeaders& operator=(SecurityHeaders other) noexcept;

  Reply operator()(Request& request, Next next) const;
  void add_fields(const Request& request, Response& response) const;

private:
  base::Box<web::SecurityFields> fields_;
};

// The nonce of this response, for <script nonce="…">: 128 random bits in base64. Valid as long as the request. Throws
// std::logic_error unless SecurityHeaders with a policy that has 'nonce' is around the handler.
std::string_view csp_nonce(const Request& request);

}  // namespace tern
