// The end of the registration: reports missing states, and builds the middleware chain of every route.
#include "app/core.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern::app {
namespace {

// The end of the chain around a path without a route.
Reply answer_unrouted(const void*, Exchange& exchange, Next) {
  const Unrouted& outcome = *exchange.request().find<Unrouted>();
  if (!outcome.location.empty()) return Response::redirect(outcome.location, Status::PermanentRedirect);
  if (outcome.problem.status != Status::NoContent) return exchange.refuse(outcome.problem);
  Response response(Status::NoContent);
  for (const Field& field : outcome.problem.fields) response.add(field.name, field.value);
  return response;
}

Reply call_endpoint(const void* self, Exchange& exchange, Next) {
  const auto& endpoint = *static_cast<const Endpoint*>(self);
  return endpoint.invoke(endpoint.handler, exchange);
}

// Appends those that come first, or those that do not. True when one of them may suspend.
bool append_links(const std::deque<MiddlewareBox>& middleware, bool first, std::vector<Link>& chain) {
  bool pins = false;
  for (const MiddlewareBox& box : middleware) {
    if (box.comes_first != first) continue;
    chain.push_back({box.invoke, box.object});
    pins = pins || box.may_suspend;
  }
  return pins;
}

// While it exists, a mounted app serves the exchange: its states, error mappings and problem renderer apply.
class InMounted {
public:
  InMounted(const Service& mounted, Exchange& exchange) noexcept : exchange_(exchange), outer_(exchange.service()) {
    exchange.set_service(mounted);
  }
  InMounted(const InMounted&) = delete;
  InMounted& operator=(const InMounted&) = delete;
  ~InMounted() { exchange_.set_service(outer_); }

private:
  Exchange& exchange_;
  const Service& outer_;
};

Task<Response> finish_in_mounted(const Service& mounted, Exchange& exchange, Reply reply) {
  const InMounted inside(mounted, exchange);
  co_return co_await std::move(reply);
}

// The link between the middleware around a mounted app and the app's own.
Reply enter_mounted(const void* self, Exchange& exchange, Next next) {
  const Service& mounted = *static_cast<const Core*>(self);
  Reply reply = [&] {
    const InMounted inside(mounted, exchange);
    return next();
  }();
  if (reply.ready()) return reply;
  return finish_in_mounted(mounted, exchange, std::move(reply));
}

}  // namespace

void Core::check_needs(std::span<const Need> needs, const Core& owner, const std::string& title,
                       const std::source_location& place, Mistakes& mistakes) const {
  for (const Need& need : needs) {
    try {
      if (need.prepare != nullptr) need.prepare();
    } catch (const std::invalid_argument& error) {
      mistakes.add(place, title + ": " + error.what());
    }
    const std::string name(need.name);
    const auto has_key = [&need](const auto& entry) { return entry.key == need.key; };
    if (need.kind == Need::Kind::State && std::ranges::none_of(owner.states_, has_key)) {
      mistakes.add(place, title + " takes " + name + ", but no such state was given: call " +
                              std::string(need.given_by) + " before the start");
    }
    if (need.kind == Need::Kind::PerLoop && std::ranges::none_of(owner.factories_, has_key)) {
      mistakes.add(place, title + " takes " + name + ", but nothing makes it: call app.per_loop(…) before the start");
    }
  }
}

namespace {

bool has_provider(const std::deque<MiddlewareBox>& middleware, const void* provided) {
  return std::ranges::any_of(middleware, [provided](const MiddlewareBox& box) { return box.provides == provided; });
}

}  // namespace

// Whether a group, or one around it, has a middleware that provides this.
bool Core::has_around(std::size_t group, const void* provided) const {
  for (std::size_t at = group;; at = groups_[at].parent) {
    if (has_provider(groups_[at].middleware, provided)) return true;
    if (at == 0 || groups_[at].is_bare) return false;
  }
}

void Core::check_middleware_needs(std::span<const Need> needs, const Surroundings& around, const std::string& title,
                                  const std::source_location& place, Mistakes& mistakes) const {
  for (const Need& need : needs) {
    if (need.kind != Need::Kind::Middleware) continue;
    if (around.own != nullptr && has_provider(*around.own, need.key)) continue;
    if (has_around(around.group, need.key)) continue;
    const std::string name(need.name);
    mistakes.add(place, title + " needs the middleware " + name + ", but it is not around it: call app.use(" + name +
                            "(…)), or use() of its group");
  }
}

void Core::check_route_needs(const RouteEntry& route, Mistakes& mistakes) const {
  const Core& owner = *groups_[route.group].owner;
  const Endpoint& endpoint = route.endpoint;
  const Surroundings around{route.group, &route.middleware};
  check_needs(endpoint.needs, owner, title(route), route.place, mistakes);
  check_middleware_needs(endpoint.needs, around, title(route), route.place, mistakes);
  const std::string of_route = "middleware of " + title(route);
  for (const MiddlewareBox& middleware : route.middleware) {
    check_needs(middleware.needs, owner, of_route, middleware.place, mistakes);
    check_middleware_needs(middleware.needs, around, of_route, middleware.place, mistakes);
  }
}

void Core::check_group_needs(std::size_t index, Mistakes& mistakes) const {
  const GroupEntry& group = groups_[index];
  const Surroundings around{index, nullptr};
  for (const MiddlewareBox& middleware : group.middleware) {
    check_needs(middleware.needs, *group.owner, "middleware", middleware.place, mistakes);
    check_middleware_needs(middleware.needs, around, "middleware", middleware.place, mistakes);
  }
  if (!group.fallback_endpoint) return;
  check_needs(group.fallback_endpoint->needs, *group.owner, "a fallback", group.fallback_place, mistakes);
  check_middleware_needs(group.fallback_endpoint->needs, around, "a fallback", group.fallback_place, mistakes);
}

// The names of the groups around a route, and its own or its path's, joined with dots; empty if it has no name.
std::string Core::full_name(const RouteEntry& route) const {
  std::string name = route.name;
  for (std::size_t at = route.group;; at = groups_[at].parent) {
    const GroupEntry& group = groups_[at];
    if (group.is_path && name.empty()) {
      name = group.name;
    } else if (!group.is_path && !name.empty() && !group.name.empty()) {
      name = group.name + "." + name;
    }
    if (at == 0) return name;
  }
}

// The methods of one path may have the same name.
void Core::check_names(Mistakes& mistakes) const {
  std::vector<std::pair<std::string, const RouteEntry*>> named;
  for (const RouteEntry& route : routes_) {
    std::string name = full_name(route);
    if (name.empty()) continue;
    const auto other = std::ranges::find_if(
        named, [&](const auto& entry) { return entry.first == name && entry.second->pattern != route.pattern; });
    if (other != named.end()) {
      mistakes.add(route.name_place,
                   "two routes are named '" + name + "': '" + other->second->pattern + "' and '" + route.pattern + "'");
    }
    named.emplace_back(std::move(name), &route);
  }
}

void Core::index_names() {
  for (const RouteEntry& route : routes_) {
    if (std::string name = full_name(route); !name.empty()) names_.emplace_back(std::move(name), &route);
  }
  std::ranges::sort(names_);  // equal names: in the order of registration, since the routes are elements of one vector
}

// True when one of them may suspend.
bool Core::append_first(std::size_t index, std::vector<Link>& chain) const {
  const bool pins = index != 0 && !groups_[index].is_bare && append_first(groups_[index].parent, chain);
  return append_links(groups_[index].middleware, true, chain) || pins;
}

// All others, behind append_first().
bool Core::append_middleware(std::size_t index, std::vector<Link>& chain) const {
  const GroupEntry& group = groups_[index];
  const bool pins = index != 0 && !group.is_bare && append_middleware(group.parent, chain);
  if (group.owner != groups_[group.parent].owner) chain.push_back({&guarded<&enter_mounted>, group.owner});
  return append_links(group.middleware, false, chain) || pins;
}

// The groups around it come first.
void Core::lay_out_group(std::size_t index) {
  GroupEntry& group = groups_[index];
  const GroupEntry& parent = groups_[group.parent];
  if (!group.limits) group.limits = parent.limits;
  const bool first_pins = append_first(index, group.unrouted);
  group.pins = append_middleware(index, group.unrouted) || first_pins;
  Target& fallback = group.fallback;
  if (group.fallback_endpoint) {
    fallback.endpoint = &*group.fallback_endpoint;
  } else if (group.owner == parent.owner && (group.table == parent.table || !tables_[group.table].host.empty())) {
    fallback.endpoint = parent.fallback.endpoint;
  }
  fallback.limits = group.limits;
  fallback.chain = group.unrouted;
  if (fallback.endpoint != nullptr) close_chain(fallback, group.pins);
  group.unrouted.push_back({&guarded<&answer_unrouted>, nullptr});
}

void Core::lay_out_route(RouteEntry& route) {
  Target& target = route.target;
  target.endpoint = &route.endpoint;
  route.is_special = route.method == Method::Query || !route.representations.empty();
  if (!target.limits) target.limits = groups_[route.group].limits;
  bool pins = append_first(route.group, target.chain);
  pins = append_links(route.middleware, true, target.chain) || pins;
  if (!target.chain.empty()) {
    target.preflight = target.chain;
    target.preflight.push_back({&guarded<&answer_unrouted>, nullptr});
  }
  pins = append_middleware(route.group, target.chain) || pins;
  pins = append_links(route.middleware, false, target.chain) || pins;
  close_chain(target, pins);
}

// `pins`: some middleware may suspend.
void Core::close_chain(Target& target, bool pins) {
  // Values that a plain middleware has extracted must outlive a handler that waits.
  const bool outlasts = target.endpoint->suspends && !target.chain.empty();
  target.pins = pins || target.endpoint->may_outlast || outlasts;
  target.chain.push_back({&guarded<&call_endpoint>, target.endpoint});
}

void Core::freeze() {
  if (frozen_) return;
  Mistakes mistakes = mistakes_;  // missing states may be registered before the next start
  for (std::size_t i = 0; i < groups_.size(); ++i) check_group_needs(i, mistakes);
  for (const RouteEntry& route : routes_) check_route_needs(route, mistakes);
  check_identities(mistakes);
  check_names(mistakes);
  check_links(mistakes);
  mistakes.throw_if_any();
  for (std::size_t i = 0; i < groups_.size(); ++i) lay_out_group(i);
  std::uint32_t index = 0;
  for (RouteEntry& route : routes_) {
    route.index = index++;
    lay_out_route(route);
  }
  for (RouteEntry& route : routes_) lay_out_representations(route);
  index_names();
  frozen_ = true;
  if (observer_) {
    std::vector<http::ObservedRoute> observed;
    for (const RouteInfo& route : routes()) {
      observed.push_back({std::string(route.method_name()), route.pattern, route.name, route.listener});
    }
    observer_->on_complete(std::move(observed));
  }
  if (per_loop_.empty()) prepare_loops(1);
  for (const auto& work : when_complete_) work(*this);
}

}  // namespace tern::app
