#include <tern/web/security_headers.hpp>

#include "web/csp_nonce.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tern {
namespace web {
namespace {

constexpr std::string_view nonce_source = "'nonce'";

}  // namespace

// The fields, prepared for every response.
class SecurityFields {
public:
  explicit SecurityFields(SecurityHeaderOptions chosen) : options(std::move(chosen)) {
    add("X-Content-Type-Options", "nosniff");
    add("X-Frame-Options", options.frame_options);
    add("Referrer-Policy", options.referrer_policy);
    add("Permissions-Policy", options.permissions_policy);
    add("Cross-Origin-Opener-Policy", options.cross_origin_opener_policy);
    add("Cross-Origin-Resource-Policy", options.cross_origin_resource_policy);
    add("Cross-Origin-Embedder-Policy", options.cross_origin_embedder_policy);
    add("Origin-Agent-Cluster", "?1");
    add("X-Permitted-Cross-Domain-Policies", "none");
    add("X-XSS-Protection", "0");
    std::string_view policy = options.policy.text();
    for (std::size_t at = policy.find(nonce_source); at != policy.npos; at = policy.find(nonce_source)) {
      policy_parts_.emplace_back(policy.substr(0, at));
      policy.remove_prefix(at + nonce_source.size());
    }
    policy_parts_.emplace_back(policy);
    if (!has_nonce()) add(policy_name(), options.policy.text());
    https_fields_ = fields_;
    if (!options.https_only) return;
    if (options.https_only->count() < 0) throw SetupError("SecurityHeaders: https_only is negative");
    std::string https_only = "max-age=" + std::to_string(options.https_only->count());
    if (options.https_only_for_subdomains) https_only += "; includeSubDomains";
    https_fields_.add("Strict-Transport-Security", https_only);
  }

  bool has_nonce() const noexcept { return policy_parts_.size() > 1; }

  // With the nonce of the request.
  void add_to(Response& response, const Request& request) const {
    add_constant_to(response, request);
    if (has_nonce()) set_unless_there(response, policy_name(), policy_with(csp_nonce(request)));
  }

  // To a response without a page. A handler may be using the nonce of the request.
  void add_to_problem(Response& response, const Request& request) const {
    add_constant_to(response, request);
    if (has_nonce()) set_unless_there(response, policy_name(), policy_with(CspNonce().text));
  }

  const SecurityHeaderOptions options;

private:
  void add_constant_to(Response& response, const Request& request) const {
    const Fields& fields = request.scheme() == "https" ? https_fields_ : fields_;
    if (response.fields().may_share_a_name(fields)) [[unlikely]] {
      for (const Field& field : fields) set_unless_there(response, field.name, field.value);
    } else {
      response.share(fields);
    }
  }
  static void set_unless_there(Response& response, std::string_view name, std::string_view value) {
    if (!response.fields().find(name)) response.add(name, value);
  }
  std::string_view policy_name() const noexcept {
    return options.policy_reports_only ? "Content-Security-Policy-Report-Only" : "Content-Security-Policy";
  }
  std::string policy_with(std::string_view nonce) const {
    std::string policy = policy_parts_.front();
    for (const std::string& part : std::span(policy_parts_).subspan(1)) {
      policy.append("'nonce-").append(nonce).append("'").append(part);
    }
    return policy;
  }
  void add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    try {
      fields_.add(name, value);
    } catch (const std::invalid_argument& error) {
      throw SetupError(std::string("SecurityHeaders: ") + error.what());
    }
  }

  Fields fields_;
  Fields https_fields_;                    // the same and Strict-Transport-Security
  std::vector<std::string> policy_parts_;  // around the nonces
};

}  // namespace web

namespace {

// Keywords of sources (CSP3, section 2.3.1), which are something else without their quotes: the name of a host.
bool is_unquoted_keyword(std::string_view source) {
  constexpr std::array<std::string_view, 9> keywords = {
      "self",          "none",          "unsafe-inline",    "unsafe-eval", "strict-dynamic",
      "unsafe-hashes", "report-sample", "wasm-unsafe-eval", "nonce"};
  return std::ranges::any_of(keywords,
                             [source](std::string_view each) { return base::equals_ignoring_case(each, source); }) ||
         source.starts_with("nonce-") || source.starts_with("sha256-") || source.starts_with("sha384-") ||
         source.starts_with("sha512-");
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

}  // namespace

ContentSecurityPolicy& ContentSecurityPolicy::allow(std::string_view directive,
                                                    std::initializer_list<std::string_view> sources) {
  const std::string begin = "ContentSecurityPolicy: ";
  const auto is_name = [](char c) { return base::is_alpha(c) || base::is_digit(c) || c == '-'; };
  if (directive.empty() || !std::ranges::all_of(directive, is_name)) {
    throw SetupError(begin + quoted(directive) + " is not the name of a directive");
  }
  const std::string_view all = text_;
  for (std::size_t at = 0; at < all.size(); at = std::min(all.find("; ", at), all.size() - 2) + 2) {
    const std::string_view name = all.substr(at, all.find_first_of(" ;", at) - at);
    if (base::equals_ignoring_case(name, directive)) {
      throw SetupError(begin + quoted(directive) + " is there already: browsers ignore the second one");
    }
  }
  std::string added(directive);
  for (const std::string_view source : sources) {
    const auto is_visible = [](char c) { return c > ' ' && c < 0x7F && c != ';' && c != ','; };
    if (source.empty() || !std::ranges::all_of(source, is_visible)) {
      throw SetupError(begin + quoted(source) + " in " + quoted(directive) +
                       " is not a source: it has a blank, ';', ',' or a control character, or is empty");
    }
    if (is_unquoted_keyword(source)) {
      throw SetupError(begin + quoted(source) + " in " + quoted(directive) + " needs its quotes: \"'" +
                       std::string(source) + "'\"");
    }
    added.append(" ").append(source);
  }
  text_.append(text_.empty() ? "" : "; ").append(added);
  return *this;
}

SecurityHeaders::SecurityHeaders(SecurityHeaderOptions options)
    : fields_(base::make_box<web::SecurityFields>(std::move(options))) {}

SecurityHeaders::SecurityHeaders(const SecurityHeaders& other) : SecurityHeaders(other.fields_->options) {}

SecurityHeaders& SecurityHeaders::operator=(SecurityHeaders other) noexcept {
  fields_ = std::move(other.fields_);
  return *this;
}

Reply SecurityHeaders::operator()(Request& request, Next next) const {
  if (fields_->has_nonce()) request.put(web::CspNonce());
  Reply reply = next();
  reply.edit([fields = fields_.get(), &request](Response& response) { fields->add_to(response, request); });
  return reply;
}

void SecurityHeaders::add_fields(const Request& request, Response& response) const {
  fields_->add_to_problem(response, request);
}

std::string_view csp_nonce(const Request& request) {
  const web::CspNonce* nonce = request.find<web::CspNonce>();
  if (nonce == nullptr) {
    throw std::logic_error(
        "csp_nonce() needs tern::SecurityHeaders around the handler, with a policy that has the source 'nonce'");
  }
  return nonce->use();
}

}  // namespace tern
