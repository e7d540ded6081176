#include "app/core.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <utility>

namespace tern::app {

std::string join(std::string_view prefix, std::string_view pattern) {
  std::string joined(prefix);
  if (joined.ends_with('/') && pattern.starts_with('/')) joined.pop_back();
  joined += pattern;
  return joined;
}

Core::Core() {
  groups_.emplace_back().owner = this;
  tables_.emplace_back();
}

Core::~Core() {
  destroy_loops();
  for (auto state = states_.rbegin(); state != states_.rend(); ++state) state->destroy(state->value);
  for (const ErrorMapping& mapping : mappings_) mapping.destroy(mapping.function);
}

// "GET '/books/{id}'", for the begin of a message.
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

// `own` is the route's pattern without the prefix of its group.
void Core::check_pattern(const RouteEntry& route, std::string_view own) const {
  const GroupEntry& group = groups_[route.group];
  const std::size_t around = group.is_path ? group.parent : route.group;
  if (group.is_path) own = group.own;
  if (around != 0 && !own.empty() && !own.starts_with('/')) {
    throw SetupError("pattern '" + std::string(own) + "' in group '" + groups_[around].prefix +
                     "': " + std::string(describe(PatternFault::NoLeadingSlash)));
  }
  if (!route.endpoint.mistake.empty()) throw SetupError(title(route) + ": " + std::string(route.endpoint.mistake));
  const PatternFacts facts = examine(route.pattern);
  if (facts.fault != PatternFault::None) return;  // the router reports it
  const std::size_t positional = route.endpoint.positional;
  if (positional != 0 && positional != facts.placeholders) {
    throw SetupError("pattern '" + route.pattern + "' has " + std::to_string(facts.placeholders) +
                     (facts.placeholders == 1 ? " placeholder" : " placeholders") + ", but its handler takes " +
                     std::to_string(positional) + " by position: take all of them, or none");
  }
  check_placeholders(route);
}

RouteMethod Core::registered_method(const RouteEntry& route) {
  return route.method == Method::Extension ? RouteMethod(route.extension_method) : RouteMethod(route.method);
}

// Adds the last route to the router, or to the route that it is another representation of.
void Core::enter(RouteEntry& route) {
  const auto index = static_cast<Router::RouteIndex>(routes_.size() - 1);
  const RouteMethod method = registered_method(route);
  Router& router = tables_[groups_[route.group].table].router;
  if (const auto holder = router.holder(method, route.pattern)) return add_representation(*holder, index);
  route.placeholders = router.add(method, route.pattern, index);
  if (route.endpoint.is_socket) router.add(Method::Connect, route.pattern, index);
  if (!route.endpoint.media_type.empty()) add_representation(index, index);
}

std::size_t Core::add_group(std::size_t parent, const PlacedPattern& prefix) {
  const std::size_t index = add_path(parent, prefix);
  GroupEntry& group = groups_[index];
  group.is_path = false;
  const PatternFault fault = prefix.text.empty() ? PatternFault::None : examine(prefix.text).fault;
  if (fault != PatternFault::None) {
    group.faulty = true;
    mistakes_.add(prefix.place, "group '" + std::string(prefix.text) + "': " + std::string(describe(fault)));
  }
  return index;
}

std::size_t Core::add_path(std::size_t parent, const PlacedPattern& pattern) {
  require_open("a group was registered");
  GroupEntry group;
  group.prefix = join(groups_[parent].prefix, pattern.text);
  group.own = pattern.text;
  group.parent = parent;
  group.table = groups_[parent].table;
  group.owner = groups_[parent].owner;
  group.faulty = groups_[parent].faulty;
  group.is_path = true;
  groups_.push_back(std::move(group));
  return groups_.size() - 1;
}

std::size_t Core::add_own_listener(Listener listener, const std::source_location& place) {
  const std::size_t root = add_listener(listener.name, place);
  groups_[root].is_bare = true;
  own_listeners_.push_back(std::move(listener));
  return root;
}

void Core::set_observer(base::Box<http::Observer> observer) {
  require_open("an observer was set");
  observer_ = std::move(observer);
}

void Core::check_listeners(std::span<const std::string> names) const {
  Mistakes mistakes;
  for (const RouteTable& table : tables_) {
    if (table.listener.empty() || std::ranges::find(names, table.listener) != names.end()) continue;
    mistakes.add(table.place,
                 "listener '" + table.listener + "' has routes, but no listener of Options::listeners has that name");
  }
  mistakes.throw_if_any();
}

void Core::set_fallback(std::size_t group, Endpoint endpoint, const std::source_location& place) {
  require_open("a fallback was registered");
  GroupEntry& entry = groups_[group];
  if (entry.fallback_endpoint) return mistakes_.add(place, "group '" + entry.prefix + "' has a fallback already");
  if (!endpoint.mistake.empty()) return mistakes_.add(place, "fallback: " + std::string(endpoint.mistake));
  if (!endpoint.media_type.empty()) return mistakes_.add(place, "fallback: tern::produces() is for routes");
  entry.fallback_endpoint = std::move(endpoint);
  entry.fallback_place = place;
}

void Core::set_group_name(std::size_t group, std::string name) {
  require_open("a group was named");
  groups_[group].name = std::move(name);
}

void Core::set_group_limits(std::size_t group, const Limits& limits) {
  require_open("limits were set");
  groups_[group].limits = limits;
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
  routes_[route].name = std::move(name);
  routes_[route].name_place = place;
}

void Core::set_limits(std::size_t route, const Limits& limits) {
  require_open("limits were set");
  routes_[route].target.limits = limits;
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

void Core::add_reload(base::Function<void()> hook) {
  require_open("on_reload was given a function");
  hooks_.reload.push_back(std::move(hook));
}

void Core::add_repeated(Milliseconds interval, base::Box<coro::Work> work, const std::source_location& place) {
  require_open("every() was called");
  if (interval.count() <= 0) mistakes_.add(place, "every() takes an interval that is longer than zero");
  hooks_.every.push_back({interval, std::move(work), place});
}

void Core::set_problem_renderer(ProblemRenderer render) {
  require_open("a problem renderer was given");
  render_ = std::move(render);
}

void Core::set_violation_text(ViolationText text) {
  require_open("on_violation() was called");
  violation_text_ = std::move(text);
}

void Core::set_trailing_slash(TrailingSlash policy) {
  require_open("the trailing-slash policy was set");
  trailing_slash_ = policy;
}

void Core::set_method_override(MethodOverride from) {
  require_open("method_override() was called");
  if (!from.field.empty() && !base::is_token(from.field)) {
    throw SetupError("method_override(): '" + from.field + "' is no field name");
  }
  method_override_ = base::make_box<MethodOverride>(std::move(from));
}

void Core::deny_unknown_members(bool deny) {
  require_open("deny_unknown_members() was called");
  deny_unknown_members_ = deny;
}

void Core::set_bus(base::Box<Bus> bus, const std::source_location& place) {
  require_open("a bus was set");
  if (bus_) return mistakes_.add(place, "there is a bus already: an app has one");
  bus_ = std::move(bus);
}

std::vector<RouteInfo> Core::routes() const {
  std::vector<RouteInfo> list;
  for (const RouteEntry& route : routes_) {
    if (route.faulty) continue;
    const RouteTable& table = table_of(route);
    list.push_back({route.method, route.pattern, full_name(route), route.extension_method, table.listener, table.host});
  }
  return list;
}

void Core::check_placeholders(const RouteEntry& route) const {
  for (const Need& need : route.endpoint.needs) {
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

void Core::prepare_loops(std::size_t loops) {
  destroy_loops();
  per_loop_.assign(loops, std::vector<void*>(factories_.size(), nullptr));
  for (const base::Box<Core>& mounted : mounted_) mounted->prepare_loops(loops);
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

std::optional<SharedState> Core::replace_state(const SharedState& state) {
  const auto found = std::ranges::find(states_, state.key, &SharedState::key);
  if (found == states_.end()) return std::nullopt;
  return std::exchange(*found, state);
}

void* Core::find_per_loop(std::size_t loop, const void* key) const {
  const auto factory = std::ranges::find(factories_, key, &PerLoopFactory::key);
  if (factory == factories_.end()) return nullptr;
  void*& slot = per_loop_[loop][static_cast<std::size_t>(factory - factories_.begin())];
  if (slot == nullptr) slot = factory->make();
  return slot;
}

std::optional<Response> Core::map_exception(Exchange& exchange) const {
  if (mappings_.empty()) return outer_ == nullptr ? std::nullopt : outer_->map_exception(exchange);
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
  return outer_ == nullptr ? std::nullopt : outer_->map_exception(exchange);
}

std::optional<Response> Core::map_value(const DomainError& error, Exchange& exchange) const {
  const auto found = std::ranges::find(mappings_, error.key, &ErrorMapping::key);
  if (found != mappings_.end()) return found->from_value(found->function, error.value, exchange);
  if (outer_ != nullptr && mappings_.empty()) return outer_->map_value(error, exchange);
  if (error.raise == nullptr) return outer_ == nullptr ? std::nullopt : outer_->map_value(error, exchange);
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

}  // namespace tern::app
