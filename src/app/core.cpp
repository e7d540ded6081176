#include "app/core.hpp"

#include <algorithm>
#include <utility>

namespace tern::app {
namespace {

std::string join(std::string_view prefix, std::string_view pattern) {
  std::string joined(prefix);
  if (joined.ends_with('/') && pattern.starts_with('/')) joined.pop_back();
  joined += pattern;
  return joined;
}

// The end of the chain around a path that no route serves.
Reply answer_unrouted(const void*, Exchange& exchange, Next) {
  const Unrouted& outcome = *exchange.request().find<Unrouted>();
  if (!outcome.location.empty()) return Response::redirect(outcome.location, Status::PermanentRedirect);
  if (outcome.problem.status != Status::NoContent) return exchange.refuse(outcome.problem);
  Response response(Status::NoContent);
  for (const Field& field : outcome.problem.fields) response.add(field.name, field.value);
  return response;
}

RouteMethod route_method(Method method, std::string_view extension) {
  return method == Method::Extension ? RouteMethod(extension) : RouteMethod(method);
}

Reply call_endpoint(const void* self, Exchange& exchange, Next) {
  const auto& endpoint = *static_cast<const Endpoint*>(self);
  return endpoint.invoke(endpoint.handler, exchange);
}

}  // namespace

Core::Core() {
  groups_.emplace_back();
}

Core::~Core() {
  destroy_loops();
  for (auto state = states_.rbegin(); state != states_.rend(); ++state) state->destroy(state->value);
  for (const ErrorMapping& mapping : mappings_) mapping.destroy(mapping.function);
}

// "GET '/books/{id}'", to begin a message with.
std::string Core::title(const RouteEntry& route) {
  const std::string_view method =
      route.method == Method::Extension ? route.extension_method : method_name(route.method);
  return std::string(method) + " '" + route.pattern + "'";
}

void Core::require_open(std::string_view what) const {
  if (frozen_) throw SetupError(std::string(what) + " after the start: everything is registered before it");
}

std::size_t Core::add_route(std::size_t group, RouteMethod method, const PlacedPattern& pattern, Endpoint endpoint) {
  require_open("a route was registered");
  RouteEntry& route = routes_.emplace_back();
  route.method = method.method;
  route.extension_method = method.extension;
  route.pattern = join(groups_[group].prefix, pattern.text);
  route.group = group;
  route.endpoint = std::move(endpoint);
  route.place = pattern.place;
  route.faulty = groups_[group].faulty;
  if (route.faulty) return routes_.size() - 1;
  try {
    check_pattern(route, pattern.text);
    enter(route);
  } catch (const SetupError& error) {
    route.faulty = true;
    mistakes_.add(route.place, error.what());
  }
  return routes_.size() - 1;
}

// `own` is what the route adds to the prefix of its group.
void Core::check_pattern(const RouteEntry& route, std::string_view own) const {
  if (route.group != 0 && !own.empty() && !own.starts_with('/')) {
    throw SetupError("pattern '" + std::string(own) + "' in group '" + groups_[route.group].prefix +
                     "': " + std::string(describe(PatternFault::NoLeadingSlash)));
  }
  if (!route.endpoint.mistake.empty()) throw SetupError(title(route) + ": " + std::string(route.endpoint.mistake));
  const PatternFacts facts = examine(route.pattern);
  if (facts.fault != PatternFault::None) return;  // the router says so
  const std::size_t positional = route.endpoint.positional;
  if (positional != 0 && positional != facts.placeholders) {
    throw SetupError("pattern '" + route.pattern + "' has " + std::to_string(facts.placeholders) +
                     (facts.placeholders == 1 ? " placeholder" : " placeholders") + ", but its handler takes " +
                     std::to_string(positional) + " by position: take all of them, or none");
  }
  check_placeholders(route);
}

// Makes the last route one that is found.
void Core::enter(RouteEntry& route) {
  const auto index = static_cast<Router::RouteIndex>(routes_.size() - 1);
  route.placeholders = router_.add(route_method(route.method, route.extension_method), route.pattern, index);
  if (route.endpoint.is_socket) router_.add(Method::Connect, route.pattern, index);
}

std::size_t Core::add_group(std::size_t parent, const PlacedPattern& prefix) {
  require_open("a group was registered");
  GroupEntry group;
  group.prefix = join(groups_[parent].prefix, prefix.text);
  group.parent = parent;
  group.faulty = groups_[parent].faulty;
  const PatternFault fault = prefix.text.empty() ? PatternFault::None : examine(prefix.text).fault;
  if (fault != PatternFault::None) {
    group.faulty = true;
    mistakes_.add(prefix.place, "group '" + std::string(prefix.text) + "': " + std::string(describe(fault)));
  }
  groups_.push_back(std::move(group));
  return groups_.size() - 1;
}

void Core::add_middleware(std::size_t group, MiddlewareBox middleware) {
  require_open("middleware was registered");
  groups_[group].middleware.push_back(std::move(middleware));
}

void Core::add_route_middleware(std::size_t route, MiddlewareBox middleware) {
  require_open("middleware was registered");
  routes_[route].middleware.push_back(std::move(middleware));
}

void Core::set_name(std::size_t route, std::string name, const std::source_location& place) {
  require_open("a route was named");
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (i == route || name.empty() || routes_[i].name != name) continue;
    mistakes_.add(place, "two routes are named '" + name + "': '" + routes_[i].pattern + "' and '" +
                             routes_[route].pattern + "'");
    return;
  }
  routes_[route].name = std::move(name);
}

void Core::set_limits(std::size_t route, const Limits& limits) {
  require_open("limits were set");
  routes_[route].limits = limits;
}

void Core::add_state(SharedState state, std::string_view type, const std::source_location& place) {
  const bool twice =
      std::ranges::any_of(states_, [&state](const SharedState& other) { return other.key == state.key; });
  if (twice || frozen_) {
    state.destroy(state.value);
    require_open("a state was given");
    mistakes_.add(place, "two states of type " + std::string(type) + " were given: State<T> would not know which");
    return;
  }
  states_.push_back(state);
}

void Core::add_per_loop(PerLoopFactory factory, std::string_view type, const std::source_location& place) {
  require_open("a per-loop state was given");
  if (std::ranges::any_of(factories_, [&factory](const PerLoopFactory& other) { return other.key == factory.key; })) {
    mistakes_.add(place, "two per-loop states of type " + std::string(type) + " were given");
    return;
  }
  factories_.push_back(std::move(factory));
}

void Core::add_error_mapping(ErrorMapping mapping) {
  if (frozen_) {
    mapping.destroy(mapping.function);
    require_open("an error mapping was given");
  }
  mappings_.push_back(mapping);
}

void Core::add_hook(HookKind kind, base::Box<coro::Work> hook) {
  require_open(kind == HookKind::Start ? "on_start was given a hook" : "on_stop was given a hook");
  (kind == HookKind::Start ? hooks_.start : hooks_.stop).push_back(std::move(hook));
}

void Core::add_repeated(Milliseconds interval, base::Box<coro::Work> work, const std::source_location& place) {
  require_open("every() was called");
  if (interval.count() <= 0) mistakes_.add(place, "every() takes an interval that is longer than zero");
  hooks_.every.push_back({interval, std::move(work)});
}

void Core::set_problem_renderer(ProblemRenderer render) {
  require_open("a problem renderer was given");
  render_ = std::move(render);
}

void Core::set_trailing_slash(TrailingSlash policy) {
  require_open("the trailing-slash policy was set");
  trailing_slash_ = policy;
}

void Core::set_bus(base::Box<Bus> bus, const std::source_location& place) {
  require_open("a bus was set");
  if (bus_) return mistakes_.add(place, "there is a bus already: an app has one");
  bus_ = std::move(bus);
}

std::vector<RouteInfo> Core::routes() const {
  std::vector<RouteInfo> list;
  for (const RouteEntry& route : routes_) {
    if (!route.faulty) list.push_back({route.method, route.pattern, route.name, route.extension_method});
  }
  return list;
}

void Core::check_placeholders(const RouteEntry& route) const {
  for (std::size_t i = 0; i < route.endpoint.need_count; ++i) {
    const Need& need = route.endpoint.needs[i];
    if (need.kind != Need::Kind::Placeholder) continue;
    bool found = false;
    PatternReader reader(route.pattern);
    for (Segment segment; reader.next(segment);) {
      found = found || (segment.kind != SegmentKind::Literal && segment.name == need.name);
    }
    if (!found) {
      throw SetupError(title(route) + " takes tern::Path<\"" + std::string(need.name) +
                       "\">, but its pattern has no such placeholder");
    }
  }
}

void Core::check_states(const RouteEntry& route, Mistakes& mistakes) const {
  const std::string where = title(route);
  for (std::size_t i = 0; i < route.endpoint.need_count; ++i) {
    const Need& need = route.endpoint.needs[i];
    const std::string name(need.name);
    const auto has_key = [&need](const auto& entry) { return entry.key == need.key; };
    if (need.kind == Need::Kind::State && std::ranges::none_of(states_, has_key)) {
      mistakes.add(route.place,
                   where + " takes " + name + ", but no such state was given: call app.state(…) before the start");
    }
    if (need.kind == Need::Kind::PerLoop && std::ranges::none_of(factories_, has_key)) {
      mistakes.add(route.place,
                   where + " takes " + name + ", but nothing makes it: call app.per_loop(…) before the start");
    }
  }
}

// True when one of them may suspend.
bool Core::append_middleware(std::size_t group, std::vector<Link>& chain) const {
  bool pins = group != 0 && append_middleware(groups_[group].parent, chain);
  for (const MiddlewareBox& middleware : groups_[group].middleware) {
    chain.push_back({middleware.invoke, middleware.object});
    pins = pins || middleware.may_suspend;
  }
  return pins;
}

void Core::freeze() {
  if (frozen_) return;
  Mistakes mistakes = mistakes_;  // what is missing may be given before the next start
  for (const RouteEntry& route : routes_) check_states(route, mistakes);
  mistakes.throw_if_any();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].pins = append_middleware(i, groups_[i].fallback);
    groups_[i].fallback.push_back({&guarded<&answer_unrouted>, nullptr});
  }
  for (RouteEntry& route : routes_) {
    route.pins = append_middleware(route.group, route.chain) || route.endpoint.may_outlast;
    for (const MiddlewareBox& middleware : route.middleware) {
      route.chain.push_back({middleware.invoke, middleware.object});
      route.pins = route.pins || middleware.may_suspend;
    }
    // What a plain middleware has taken from the request must outlast a handler that waits.
    route.pins = route.pins || (route.endpoint.suspends && !route.chain.empty());
    route.chain.push_back({&guarded<&call_endpoint>, &route.endpoint});
  }
  frozen_ = true;
  if (per_loop_.empty()) prepare_loops(1);
}

void Core::prepare_loops(std::size_t loops) {
  destroy_loops();
  per_loop_.assign(loops, std::vector<void*>(factories_.size(), nullptr));
}

void Core::destroy_loops() noexcept {
  for (std::vector<void*>& slots : per_loop_) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] != nullptr) factories_[i].destroy(slots[i]);
    }
  }
  per_loop_.clear();
}

const void* Core::find_state(const void* key) const noexcept {
  const auto found = std::ranges::find(states_, key, &SharedState::key);
  return found == states_.end() ? nullptr : found->value;
}

void* Core::find_per_loop(std::size_t loop, const void* key) const {
  const auto factory = std::ranges::find(factories_, key, &PerLoopFactory::key);
  if (factory == factories_.end()) return nullptr;
  void*& slot = per_loop_[loop][static_cast<std::size_t>(factory - factories_.begin())];
  if (slot == nullptr) slot = factory->make();
  return slot;
}

std::optional<Response> Core::map_exception(Exchange& exchange) const {
  if (mappings_.empty()) return std::nullopt;
  const bool http_error = [] {
    try {
      throw;
    } catch (const HttpError&) {
      return true;
    } catch (...) {
      return false;
    }
  }();
  for (const ErrorMapping& mapping : mappings_) {
    if (http_error && !mapping.of_http_errors) continue;
    if (auto response = mapping.from_exception(mapping.function, exchange)) return response;
  }
  return std::nullopt;
}

std::optional<Response> Core::map_value(const DomainError& error, Exchange& exchange) const {
  const auto found = std::ranges::find(mappings_, error.key, &ErrorMapping::key);
  if (found != mappings_.end()) return found->from_value(found->function, error.value, exchange);
  if (error.raise == nullptr) return std::nullopt;
  try {
    error.raise(error.value);
  } catch (const HttpError& http_error) {
    if (auto mapped = map_exception(exchange)) return mapped;
    return exchange.refuse(http_error.problem());
  } catch (...) {
    return map_exception(exchange);
  }
  return std::nullopt;
}

MethodIndex Core::method_of(const Request& request) const noexcept {
  if (request.method() != Method::Extension) return static_cast<MethodIndex>(request.method());
  return router_.index_of(request.method_name());
}

// --- Serving
// -----------------------------------------------------------------------------------------------------------

Reply Core::serve(Exchange& exchange) const noexcept {
  exchange.served_by(*this);
  try {
    Request& request = exchange.request();
    const void** memo = std::exchange(request.head().memo, nullptr);  // what is served again is another head
    if (memo != nullptr && *memo != nullptr) return serve_route(*static_cast<const RouteEntry*>(*memo), exchange);
    if (!request.head().plain_path) {
      const std::string_view fault = path_fault(request.path(), exchange.arena());
      if (!fault.empty()) return serve_fallback({{Status::BadRequest, std::string(fault), {}, {}}, {}}, exchange);
    }
    const Router::Match match =
        router_.find(method_of(request), request.path(), exchange.arena(), request.parameter_values());
    if (!match.route) return serve_unrouted(match, exchange);
    request.set_parameter_count(match.parameters);
    const RouteEntry& route = routes_[*match.route];
    if (memo != nullptr && match.parameters == 0) *memo = &route;
    return serve_route(route, exchange);
  } catch (...) {
    return caught(exchange);
  }
}

Reply Core::serve_route(const RouteEntry& route, Exchange& exchange) const {
  Request& request = exchange.request();
  request.set_route(route.pattern, route.placeholders);
  if (route.method == Method::Query && !request.field("content-type")) [[unlikely]] {
    return serve_fallback({{Status::BadRequest, "QUERY has a Content-Type (RFC 10008)", {}, {}}, {}}, exchange);
  }
  if (route.limits) {
    exchange.limit(*route.limits);
  } else if (route.endpoint.streams_body) {
    Limits limits = exchange.limits();
    limits.body = static_cast<std::size_t>(-1);
    exchange.limit(limits);
  }
  if (route.pins || (route.endpoint.reads_body && !exchange.body_complete())) exchange.pin();
  return Next(route.chain.data(), exchange)();
}

Reply Core::serve_unrouted(Router::Match match, Exchange& exchange) const {
  const Request& request = exchange.request();
  if (request.method() == Method::Connect && request.path().empty()) {
    return serve_fallback({{Status::NotImplemented, "there are no tunnels here (RFC 9110, 9.3.6)", {}, {}}, {}},
                          exchange);
  }
  if (method_of(request) == unknown_method) {
    return serve_fallback({{Status::NotImplemented, "the method is not known here", {}, {}}, {}}, exchange);
  }
  if (request.path() == "*") match.offered = router_.offered() | mask_of(Method::Options);
  if (match.offered == 0) {
    if (auto reply = serve_other_slash(exchange)) return std::move(*reply);
    return serve_fallback({{Status::NotFound, "there is nothing at this path", {}, {}}, {}}, exchange);
  }
  Problem problem{Status::MethodNotAllowed, {}, {}, {}};
  problem.fields.set("allow", router_.allow_value(match.offered));
  if (request.method() == Method::Options) {
    problem.status = Status::NoContent;
  } else {
    problem.detail = "the method is not offered at this path";
  }
  return serve_fallback({std::move(problem), {}}, exchange);
}

std::optional<Reply> Core::serve_other_slash(Exchange& exchange) const {
  Request& request = exchange.request();
  const std::string_view path = request.path();
  // A location that begins with two slashes would lead to another host; browsers take a backslash for a slash.
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
  const Router::Match match = router_.find(method_of(request), kept, exchange.arena(), request.parameter_values());
  if (!match.route) return std::nullopt;
  if (trailing_slash_ == TrailingSlash::Ignore) {
    request.set_parameter_count(match.parameters);
    return serve_route(routes_[*match.route], exchange);
  }
  if (!request.query().empty()) other.append("?").append(request.query());
  return serve_fallback({{}, std::move(other)}, exchange);
}

Reply Core::serve_fallback(Unrouted outcome, Exchange& exchange) const {
  const GroupEntry& group = innermost_group(exchange.request().path());
  exchange.request().put(std::move(outcome));
  if (group.pins) exchange.pin();
  return Next(group.fallback.data(), exchange)();
}

// The group with the longest prefix that the path begins with. Only for paths without a route.
const Core::GroupEntry& Core::innermost_group(std::string_view path) const {
  const GroupEntry* innermost = &groups_.front();
  std::size_t longest = 0;
  for (const GroupEntry& group : groups_) {
    std::string_view rest = path;
    std::size_t segments = 0;
    bool fits = true;
    PatternReader reader(group.prefix);
    for (Segment segment; fits && reader.next(segment); ++segments) {
      if (segment.kind == SegmentKind::Literal && segment.text.empty()) continue;  // the slash that ends a prefix
      if (segment.kind == SegmentKind::Rest) break;
      const std::size_t end = std::min(rest.find('/', 1), rest.size());
      const std::string_view text = rest.substr(0, end);
      fits = text.size() > 1 && (segment.kind != SegmentKind::Literal || text.substr(1) == segment.text);
      rest.remove_prefix(end);
    }
    if (fits && segments > longest) {
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
  return render_problem(problem, &request);
}

Response Core::render_problem(const Problem& problem, const Request* request) const noexcept {
  const auto finished = [&problem](Response response) {
    response.status(problem.status);
    for (const Field& field : problem.fields) response.add(field.name, field.value);
    return response;
  };
  try {
    if (render_) return finished(render_(problem, request));
  } catch (...) {
    // It must not throw. What is sent then is not what the application wants, but still the right answer.
  }
  try {
    return finished(std::move(Response::borrowed(media::problem, {}).content(to_json(problem))));
  } catch (...) {
    return Response(problem.status);
  }
}

}  // namespace tern::app
