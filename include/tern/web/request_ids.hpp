// Request ids: names of requests, for logs of several services.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

namespace web {
class RequestIdSource;
}

// Whose ids are accepted. Other requests get a new one.
enum class RequestIdsFrom : std::uint8_t {
  TrustedProxies,  // ProxyOptions::trusted
  AllClients,      // clients could put ids of other requests into the log
  None,
};

struct RequestIdOptions {
  std::string field = "X-Request-Id";  // of requests and responses
  RequestIdsFrom accept = RequestIdsFrom::TrustedProxies;
  bool in_response = true;
};

// For an app, a group or a route, as the outermost middleware:
//
//   app.use(tern::RequestIds());
//
// Sets Request::id(), which is in the response, in lines of Request::log(), in reports of failed handlers and in the
// JSON access log. A new id is a UUIDv7 (RFC 9562, section 5.7): unique and sorted by time, but not a secret. An
// accepted one has 1 to 128 letters, digits and characters of "-_.:/+=@~"; others are replaced.
class RequestIds {
public:
  RequestIds() : RequestIds(RequestIdOptions()) {}
  // Throws SetupError for a field that a response cannot have.
  explicit RequestIds(RequestIdOptions options);

  Reply operator()(Request& request, Next next) const;
  void add_fields(const Request& request, Response& response) const;

private:
  base::Box<web::RequestIdSource> source_;
};

// The id of the request as a parameter of a handler, which needs RequestIds around it.
struct RequestId : Holder<std::string_view> {};

template <>
struct Extract<RequestId> {
  static std::expected<RequestId, Rejection> from(Request& request);
};

}  // namespace tern
