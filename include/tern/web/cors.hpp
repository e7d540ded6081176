// Middleware that lets pages of other origins read responses (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

namespace web {
class CorsPolicy;
}

struct CorsOptions {
  // "https://example.org", with a port unless it is the default of the scheme; "https://*.example.org" for all
  // subdomains (not example.org itself); "*" alone for all origins.
  std::vector<std::string> origins = {};
  // Decides about origins that are not in the list; null: they are refused. Called by all loops concurrently. A pointer
  // to a function, or a lambda without captures.
  bool (*allows)(std::string_view origin) = nullptr;
  // Whether cookies, client certificates and Authorization may be sent. Not with "*".
  bool credentials = false;
  std::vector<std::string> methods = {};  // allowed ones; empty: all
  std::vector<std::string> headers = {};  // request fields that scripts may set; empty: all
  std::vector<std::string> exposed = {};  // response fields that scripts may read, beside the few always allowed
  std::optional<Seconds> max_age = Seconds(600);  // for how long a browser keeps the answer to a preflight
  // Whether pages of the Internet may send requests into a private network.
  bool private_network = false;
};

// For an app, a group or a route:
//
//   app.use(tern::Cors({.origins = {"https://example.org"}, .credentials = true}));
//
// Runs before all other middleware, whatever the order of registration. It answers preflights (OPTIONS with Origin and
// Access-Control-Request-Method) with 204, passes every other request on, and adds its fields to the response, also to
// errors. A request of another origin is served, without the fields that would let a script read the response: to
// refuse requests, use CrossOriginProtection.
class Cors {
public:
  static constexpr bool comes_first = true;

  // Throws SetupError for options that cannot hold: no origins and no `allows`, "*" with credentials, an origin with a
  // path, "null", a method or field name that is not a token.
  explicit Cors(CorsOptions options);
  Cors(const Cors& other);
  Cors(Cors&& other) noexcept = default;
  Cors& operator=(Cors other) noexcept;

  Reply operator()(Request& request, Next next) const;
  void add_fields(const Request& request, Response& response) const;

private:
  base::Box<web::CorsPolicy> policy_;
};

}  // namespace tern
