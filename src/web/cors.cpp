// Preflights and responses of the CORS protocol (Fetch Standard, section 3.3).
#include <tern/web/cors.hpp>

#include "web/field_list.hpp"
#include "web/origin.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>

#include <algorithm>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr std::string_view preflight_vary = "origin, access-control-request-method, access-control-request-headers";

std::string joined(const std::vector<std::string>& names, std::string_view option) {
  std::string list;
  for (const std::string& name : names) {
    if (!base::is_token(name)) {
      throw SetupError("Cors: '" + name + "' in CorsOptions::" + std::string(option) +
                       " is not a token (RFC 9110, 5.6.2)");
    }
    list.append(list.empty() ? "" : ", ").append(name);
  }
  return list;
}

std::vector<std::string> without_star(std::vector<std::string> origins) {
  std::erase(origins, "*");
  return origins;
}

bool is_field_list(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return base::is_token_char(c) || c == ',' || c == ' '; });
}

}  // namespace

class CorsPolicy {
public:
  explicit CorsPolicy(CorsOptions chosen)
      : options(std::move(chosen)),
        all_(std::ranges::find(options.origins, "*") != options.origins.end()),
        listed_(without_star(options.origins), "Cors"),
        methods_(joined(options.methods, "methods")),
        headers_(joined(options.headers, "headers")),
        exposed_(joined(options.exposed, "exposed")) {
    if (all_ && options.credentials) {
      throw SetupError(
          "Cors: origins = {\"*\"} with credentials would let every site act as its visitors: name the origins");
    }
    if (all_ && (options.origins.size() != 1 || options.allows != nullptr)) {
      throw SetupError("Cors: \"*\" stands alone in CorsOptions::origins");
    }
    if (options.origins.empty() && options.allows == nullptr) {
      throw SetupError("Cors: no origin is allowed: set CorsOptions::origins or CorsOptions::allows");
    }
    if (options.max_age && options.max_age->count() < 0) throw SetupError("Cors: CorsOptions::max_age is negative");
  }

  bool allows(std::string_view origin) const {
    return all_ || listed_.contains(origin) || (options.allows != nullptr && options.allows(origin));
  }

  // The fields of a response to a request from `origin`, if it is allowed.
  void add_origin(Response& response, std::optional<std::string_view> origin) const {
    if (all_) {
      response.set("access-control-allow-origin", "*");
      return;
    }
    add_vary(response, "origin");
    if (!origin || !allows(*origin)) return;
    response.set("access-control-allow-origin", *origin);
    if (options.credentials) response.set("access-control-allow-credentials", "true");
  }

  // Whatever the origin if all are allowed: the response has no Vary then.
  bool exposes_to(std::optional<std::string_view> origin) const { return all_ || (origin && allows(*origin)); }

  void add_exposed(Response& response) const {
    if (!exposed_.empty()) response.set("access-control-expose-headers", exposed_);
  }

  Response answer_preflight(const Request& request, std::string_view origin, std::string_view method) const {
    Response response(Status::NoContent);
    if (!all_) response.set("vary", preflight_vary);
    add_origin(response, origin);
    if (!allows(origin)) return response;
    response.set("access-control-allow-methods", methods_.empty() ? method : std::string_view(methods_));
    if (const auto asked = request.field("access-control-request-headers"); asked && is_field_list(*asked)) {
      response.set("access-control-allow-headers", headers_.empty() ? *asked : std::string_view(headers_));
    }
    if (options.max_age) response.set("access-control-max-age", std::to_string(options.max_age->count()));
    if (options.private_network && request.field("access-control-request-private-network") == "true") {
      response.set("access-control-allow-private-network", "true");
    }
    return response;
  }

  const CorsOptions options;

private:
  const bool all_;
  const OriginList listed_;
  const std::string methods_;
  const std::string headers_;
  const std::string exposed_;
};

}  // namespace web

Cors::Cors(CorsOptions options) : policy_(base::make_box<web::CorsPolicy>(std::move(options))) {}

Cors::Cors(const Cors& other) : Cors(other.policy_->options) {}

Cors& Cors::operator=(Cors other) noexcept {
  policy_ = std::move(other.policy_);
  return *this;
}

Reply Cors::operator()(Request& request, Next next) const {
  const std::optional<std::string_view> origin = request.field("origin");
  if (request.method() == Method::Options && origin) {
    const auto method = request.field("access-control-request-method");
    if (method && base::is_token(*method)) return policy_->answer_preflight(request, *origin, *method);
  }
  Reply reply = next();
  reply.edit([this, &request](Response& response) { add_fields(request, response); });
  return reply;
}

void Cors::add_fields(const Request& request, Response& response) const {
  const std::optional<std::string_view> from = request.field("origin");
  policy_->add_origin(response, from);
  if (policy_->exposes_to(from)) policy_->add_exposed(response);
}

}  // namespace tern
