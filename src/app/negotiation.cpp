// Several representations of one method and pattern: which may stand beside each other, and the choice by Accept
// (RFC 9110, section 12.1).
#include "app/core.hpp"
#include "app/media_type.hpp"
#include "app/quoted.hpp"
#include "http/accept.hpp"

#include <tern/base/ascii.hpp>

#include <utility>

namespace tern::app {
namespace {

constexpr std::string_view utf8_parameter = "; charset=utf-8";

// What a handler's result is when it is neither missing nor an error.
Responds success_of(const Endpoint& endpoint) noexcept {
  const ResultContract* result = endpoint.contract == nullptr ? nullptr : endpoint.contract->result;
  while (result != nullptr && result->of != nullptr) result = result->of;
  return result == nullptr ? Responds::Unknown : result->responds;
}

// Unless the response has a type of the handler's choice. Text keeps its charset under another type of text.
void set_type(Response& response, std::string_view media_type) {
  const std::string_view own = response.literal_type();
  if (own.empty() || code(response.status()) >= 300) return;
  if (media_type.starts_with("text/") && own.ends_with(utf8_parameter)) {
    response.set("content-type", std::string(media_type).append(utf8_parameter));
  } else {
    response.set("content-type", media_type);
  }
}

}  // namespace

std::string_view media_type_of(const Endpoint& endpoint) noexcept {
  if (!endpoint.media_type.empty()) return endpoint.media_type;
  switch (success_of(endpoint)) {
    case Responds::Text: return "text/plain";
    case Responds::Bytes: return media::bytes;
    case Responds::Json: return media::json;
    default: return {};
  }
}

// The link to the handler of a representation.
Reply Core::call_represented(const void* self, Exchange& exchange, Next) {
  const Representation& representation = *static_cast<const Representation*>(self);
  const Endpoint& endpoint = *representation.endpoint;
  return endpoint.invoke(endpoint.handler, exchange).then([&representation](Response response) {
    if (representation.sets_type) set_type(response, representation.endpoint->media_type);
    return std::move(response.add("vary", "Accept"));
  });
}

// Both have one method and pattern. Throws SetupError if Accept cannot tell them apart.
void Core::check_told_apart(const RouteEntry& route, const RouteEntry& other) const {
  const std::string conflict =
      title(route) + " conflicts with " + quoted(other.pattern) + ", which is registered already";
  const Endpoint& one = route.endpoint;
  const Endpoint& two = other.endpoint;
  if ((one.media_type.empty() && two.media_type.empty()) || one.is_socket || two.is_socket) {
    throw SetupError(conflict);
  }
  const std::string_view type = media_type_of(two);
  if (type.empty() || media_type_of(one).empty()) {
    throw SetupError(conflict +
                     ": Accept cannot tell them apart, since the media type of one is not known; state it "
                     "by tern::produces()");
  }
  if (base::equals_ignoring_case(type, media_type_of(one))) throw SetupError(conflict + " for " + std::string(type));
}

void Core::add_representation(Router::RouteIndex first, Router::RouteIndex index) {
  std::vector<Router::RouteIndex>& all = routes_[first].representations;
  if (all.empty()) all.push_back(first);
  if (first == index) return;
  RouteEntry& route = routes_[index];
  for (const Router::RouteIndex other : all) check_told_apart(route, routes_[other]);
  all.push_back(index);
  route.placeholders.clear();
  PatternReader reader(route.pattern);
  for (Segment segment; reader.next(segment);) {
    if (segment.kind != SegmentKind::Literal) route.placeholders.emplace_back(segment.name);
  }
}

void Core::lay_out_representations(RouteEntry& first) {
  for (const Router::RouteIndex index : first.representations) {
    RouteEntry& route = routes_[index];
    const Endpoint& endpoint = route.endpoint;
    const Responds success = success_of(endpoint);
    const bool states_type = success == Responds::Unknown || success == Responds::Described;
    route.representation = {&endpoint, !endpoint.media_type.empty() && !states_type};
    route.target.chain.back() = {&guarded<&call_represented>, &route.representation};
    first.offered.push_back(media_type_of(endpoint));
  }
}

// Null if the client accepts none of them.
const Core::RouteEntry* Core::choose(const RouteEntry& first, const Request& request) const noexcept {
  if (first.representations.empty()) return &first;
  const std::size_t best = http::preferred_type(request.fields(), first.offered);
  return best == http::no_type ? nullptr : &routes_[first.representations[best]];
}

Reply Core::serve_unacceptable(const RouteEntry& first, Exchange& exchange) const {
  Problem problem{Status::NotAcceptable, "the client accepts none of the types that are offered: ", {}, {}};
  for (const std::string_view type : first.offered) {
    if (type != first.offered.front()) problem.detail += ", ";
    problem.detail += type;
  }
  problem.fields.set("vary", "Accept");
  exchange.request().set_route(first.pattern, first.placeholders, first.index);
  return serve_outcome(table_of(first), {std::move(problem), {}}, exchange);
}

}  // namespace tern::app
