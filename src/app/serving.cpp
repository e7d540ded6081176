// The path of a request through Core: finds the route, or the response to a path without one.
#include "app/core.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/uri.hpp>

#include <algorithm>
#include <utility>

namespace tern::app {

namespace {

constexpr std::string_view misdirected =
    "on a loopback address, this server serves IP addresses and localhost; see Known hosts in its documentation";

RouteMethod method_of(const Request& request) noexcept {
  if (request.method() != Method::Extension) return {request.method()};
  return {request.method_name()};
}

// Of the first parameter with that name, as it was sent.
std::optional<std::string_view> parameter_of(std::string_view query, std::string_view name) noexcept {
  std::string_view each;
  std::string_view value;
  while (next_pair(query, each, value)) {
    if (each == name) return value;
  }
  return std::nullopt;
}

void add_fields(const std::deque<MiddlewareBox>& middleware, bool first, const Request& request, Response& response) {
  for (auto box = middleware.rbegin(); box != middleware.rend(); ++box) {
    if (box->add_fields != nullptr && box->comes_first == first) box->add_fields(box->object, request, response);
  }
}

}  // namespace

void Core::serve_local_hosts_only(bool only) noexcept {
  const auto checks = [](const GroupEntry& group) {
    return std::ranges::any_of(group.middleware, &MiddlewareBox::checks_host);
  };
  const auto has_host = [](const RouteTable& table) { return !table.host.empty(); };
  local_hosts_only_.store(only && std::ranges::none_of(groups_, checks) && std::ranges::none_of(tables_, has_host),
                          std::memory_order_relaxed);
}

// False: the request names a method that it cannot have. Only POST is changed: it is not safe, and has content.
bool Core::override_method(Request& request) const {
  if (request.method() != Method::Post) return true;
  std::optional<std::string_view> named;
  if (!method_override_->field.empty()) named = request.field(method_override_->field);
  if (!named && !method_override_->query.empty()) named = parameter_of(request.query(), method_override_->query);
  if (!named) return true;
  for (const Method method : {Method::Put, Method::Patch, Method::Delete}) {
    if (!base::equals_ignoring_case(*named, method_name(method))) continue;
    request.head().method = method;
    return true;
  }
  return base::equals_ignoring_case(*named, method_name(Method::Post));
}

// A mounted app has given its routes to the one around it, to which its middleware may send a request of its own.
Reply Core::serve(Exchange& exchange) const noexcept {
  if (outer_ != nullptr) return outer_->serve(exchange);
  exchange.set_service(*this);
  try {
    Request& request = exchange.request();
    const RouteTable& table = table_of(exchange);
    if (local_hosts_only_.load(std::memory_order_relaxed) && !local_hosts_.contains(request.host())) [[unlikely]] {
      return serve_outcome(table, {{Status::MisdirectedRequest, std::string(misdirected), {}, {}}, {}}, exchange);
    }
    if (!request.head().plain_path) {
      const std::string_view fault = path_fault(request.path(), exchange.arena());
      if (!fault.empty()) return serve_outcome(table, {{Status::BadRequest, std::string(fault), {}, {}}, {}}, exchange);
    }
    if (method_override_ && !override_method(request)) [[unlikely]] {
      Problem problem{
          Status::BadRequest, "the method that is named instead of POST is not PUT, PATCH or DELETE", {}, {}};
      return serve_outcome(table, {std::move(problem), {}}, exchange);
    }
    const Found found = find(table, method_of(request), request.path(), exchange);
    if (found.route == nullptr) return serve_unrouted(table, found, exchange);
    request.set_parameter_count(found.parameters);
    return serve_route(*found.route, exchange);
  } catch (...) {
    return caught(exchange);
  }
}

Reply Core::serve_route(const RouteEntry& route, Exchange& exchange) const {
  if (route.is_special) [[unlikely]]
    return serve_special(route, exchange);
  exchange.request().set_route(route.pattern, route.placeholders, route.index);
  return serve_target(route.target, exchange);
}

Reply Core::serve_special(const RouteEntry& first, Exchange& exchange) const {
  Request& request = exchange.request();
  const RouteEntry* const route = choose(first, request);
  if (route == nullptr) return serve_unacceptable(first, exchange);
  request.set_route(route->pattern, route->placeholders, route->index);
  if (route->method == Method::Query && !request.field("content-type")) {
    Unrouted refusal{{Status::BadRequest, "QUERY has a Content-Type (RFC 10008)", {}, {}}, {}};
    return serve_outcome(table_of(*route), std::move(refusal), exchange);
  }
  return serve_target(route->target, exchange);
}

Reply Core::serve_target(const Target& target, Exchange& exchange) {
  const Endpoint& endpoint = *target.endpoint;
  if (target.limits) {
    exchange.limit(*target.limits);
  } else if (endpoint.streams_body) {
    Limits limits = exchange.limits();
    limits.max_body_bytes = static_cast<std::size_t>(-1);
    exchange.limit(limits);
  }
  if (target.pins || (endpoint.reads_body && !exchange.body_complete())) exchange.pin();
  return Next(target.chain.data(), exchange)();
}

Reply Core::serve_unrouted(const RouteTable& table, Found found, Exchange& exchange) const {
  const Request& request = exchange.request();
  if (request.method() == Method::Connect && request.path().empty()) {
    return serve_outcome(table, {{Status::NotImplemented, "there are no tunnels here (RFC 9110, 9.3.6)", {}, {}}, {}},
                         exchange);
  }
  if (!knows_method(table, request)) {
    return serve_outcome(table, {{Status::NotImplemented, "the method is not known here", {}, {}}, {}}, exchange);
  }
  if (request.path() == "*") {
    found.offered = table.router.offered() | mask_of(Method::Options);
    if (!table.host.empty()) found.offered_everywhere = tables_.front().router.offered();
  }
  if ((found.offered | found.offered_everywhere) == 0) {
    if (auto reply = serve_other_slash(table, exchange)) return std::move(*reply);
    return serve_missing(table, exchange);
  }
  Problem problem{Status::MethodNotAllowed, {}, {}, {}};
  problem.fields.set("allow", allow_value(table, found));
  if (request.method() == Method::Options) {
    problem.status = Status::NoContent;
    if (const Target* asked = preflighted(table, exchange)) {
      exchange.request().put(Unrouted{std::move(problem), {}});
      if (asked->pins) exchange.pin();
      return Next(asked->preflight.data(), exchange)();
    }
  } else {
    problem.detail = "the method is not offered at this path";
  }
  return serve_outcome(table, {std::move(problem), {}}, exchange);
}

// The route that a CORS preflight asks for, if it has middleware that comes first.
const Core::Target* Core::preflighted(const RouteTable& table, Exchange& exchange) const {
  Request& request = exchange.request();
  const auto method = request.field("access-control-request-method");
  if (!method || !request.field("origin")) return nullptr;
  const RouteEntry* const route = find(table, RouteMethod(*method), request.path(), exchange).route;
  return route == nullptr || route->target.preflight.empty() ? nullptr : &route->target;
}

std::optional<Reply> Core::serve_other_slash(const RouteTable& table, Exchange& exchange) const {
  Request& request = exchange.request();
  const std::string_view path = request.path();
  // A location that begins with two slashes would lead to another host; browsers treat a backslash as a slash.
  if (trailing_slash_ == TrailingSlash::Strict || path.size() < 2 || path[1] == '/' || path[1] == '\\') {
    return std::nullopt;
  }
  std::string other(path);
  if (other.back() == '/') {
    other.pop_back();
  } else {
    other += '/';
  }
  const std::string_view kept = exchange.arena().copy(other);
  const Found found = find(table, method_of(request), kept, exchange);
  if (found.route == nullptr) return std::nullopt;
  if (trailing_slash_ == TrailingSlash::Ignore) {
    request.set_parameter_count(found.parameters);
    return serve_route(*found.route, exchange);
  }
  if (!request.query().empty()) other.append("?").append(request.query());
  return serve_outcome(table, {{}, std::move(other)}, exchange);
}

// A path without a route.
Reply Core::serve_missing(const RouteTable& table, Exchange& exchange) const {
  const GroupEntry& group = innermost_group(table, exchange.request().path());
  if (group.fallback.endpoint == nullptr) {
    return serve_outcome(table, {{Status::NotFound, "there is nothing at this path", {}, {}}, {}}, exchange);
  }
  exchange.request().set_parameter_count(0);
  return serve_target(group.fallback, exchange);
}

Reply Core::serve_outcome(const RouteTable& table, Unrouted outcome, Exchange& exchange) const {
  const GroupEntry& group = innermost_group(table, exchange.request().path());
  exchange.request().put(std::move(outcome));
  if (group.pins) exchange.pin();
  return Next(group.unrouted.data(), exchange)();
}

// The group with the longest prefix of the path. Only for paths without a route.
const Core::GroupEntry& Core::innermost_group(const RouteTable& table, std::string_view path) const {
  const GroupEntry* innermost = &groups_[table.root];
  const std::size_t own = innermost->table;
  std::size_t longest = 0;
  for (const GroupEntry& group : groups_) {
    if (group.is_path || group.table != own) continue;
    std::string_view rest = path;
    std::size_t segments = 0;
    bool fits = true;
    PatternReader reader(group.prefix);
    for (Segment segment; fits && reader.next(segment); ++segments) {
      if (segment.kind == SegmentKind::Literal && segment.text.empty()) continue;  // the slash at the end of a prefix
      if (segment.kind == SegmentKind::Rest) break;
      const std::size_t end = std::min(rest.find('/', 1), rest.size());
      const std::string_view text = rest.substr(0, end);
      fits = text.size() > 1 && (segment.kind != SegmentKind::Literal || text.substr(1) == segment.text);
      rest.remove_prefix(end);
    }
    // A mounted app has the prefix of the group around it.
    const bool enters = segments == longest && group.owner != innermost->owner && &groups_[group.parent] == innermost;
    if (fits && (segments > longest || enters)) {
      longest = segments;
      innermost = &group;
    }
  }
  return *innermost;
}

Response Core::refuse(const Problem& problem) const noexcept {
  return render_problem(problem, nullptr);
}

Response Core::refuse_request(const Problem& problem, const Request& request) const noexcept {
  try {
    if (violation_text() != nullptr && !problem.errors.empty()) {
      Problem replaced = problem;
      replace_texts(replaced, request);
      return render_problem(replaced, &request);
    }
  } catch (...) {
    // It must not throw. The texts of the library are sent instead.
  }
  return render_problem(problem, &request);
}

// A handler that waits still has the request, so the chain cannot run again: middleware adds its fields only, from the
// innermost to the outermost, as a response passes them.
Response Core::refuse_instead(const Problem& problem, Exchange& exchange) const noexcept {
  Response response = exchange.refuse(problem);
  try {
    const Request& request = exchange.request();
    const RouteEntry* const route = request.route().empty() ? nullptr : &routes_[request.route_index()];
    const GroupEntry* const group =
        route != nullptr ? &groups_[route->group] : &innermost_group(table_of(exchange), request.path());
    for (const bool first : {false, true}) {
      if (route != nullptr) add_fields(route->middleware, first, request, response);
      for (const GroupEntry* at = group;; at = &groups_[at->parent]) {
        add_fields(at->middleware, first, request, response);
        if (at == &groups_.front() || at->is_bare) break;
      }
    }
  } catch (...) {
    // It must not throw. The response has the fields that were added before.
  }
  return response;
}

void Core::replace_texts(Problem& problem, const Request& request) const {
  const ViolationText* const text = violation_text();
  if (text == nullptr) return;
  for (ProblemItem& error : problem.errors) {
    std::string detail = error.code.empty() ? std::string() : (*text)(error, request);
    if (!detail.empty()) error.detail = std::move(detail);
  }
}

Response Core::render_problem(const Problem& problem, const Request* request) const noexcept {
  const auto finished = [&problem](Response response) {
    response.status(problem.status);
    for (const Field& field : problem.fields) response.add(field.name, field.value);
    return response;
  };
  try {
    if (render_) return finished(render_(problem, request));
    if (outer_ != nullptr) return outer_->render_problem(problem, request);
  } catch (...) {
    // It must not throw. The default response is sent instead.
  }
  try {
    return finished(std::move(Response::borrowed(media::problem, {}).content(to_json(problem))));
  } catch (...) {
    return Response(problem.status);
  }
}

}  // namespace tern::app
