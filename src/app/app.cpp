// Registration of App, Group, Route and MethodChain. Running an App is in src/tern/run.cpp.
#include <tern/app/app.hpp>

#include "app/core.hpp"

namespace tern {

Route& Route::name(std::string name, std::source_location place) {
  core_->set_name(index_, std::move(name), place);
  return *this;
}

Route& Route::limits(const Limits& limits) {
  core_->set_limits(index_, limits);
  return *this;
}

app::RouteNotes& Route::route_notes() {
  return core_->route_notes(index_);
}

app::RouteNotes& MethodChain::route_notes() {
  return core_->group_notes(index_);
}

app::RouteNotes& Group::route_notes() {
  return core_->group_notes(index_);
}

void Route::add(app::MiddlewareBox middleware, const std::source_location& place) {
  middleware.place = place;
  core_->add_route_middleware(index_, std::move(middleware));
}

void MethodChain::add(RouteMethod method, app::Endpoint endpoint) {
  core_->add_route(index_, method, {"", place_}, std::move(endpoint));
}

void MethodChain::add(app::MiddlewareBox middleware, const std::source_location& place) {
  middleware.place = place;
  core_->add_middleware(index_, std::move(middleware));
}

MethodChain& MethodChain::name(std::string name) {
  core_->set_group_name(index_, std::move(name));
  return *this;
}

MethodChain& MethodChain::limits(const Limits& limits) {
  core_->set_group_limits(index_, limits);
  return *this;
}

MethodChain Group::route(PlacedPattern pattern) {
  return {*core_, core_->add_path(index_, pattern), pattern.place};
}

Group Group::mount(PlacedPattern prefix, App app) {
  if (!app.core_) throw SetupError("an app was mounted that has been moved from");
  return {*core_, core_->mount(index_, prefix, std::move(app.core_))};
}

Group& Group::name(std::string name) {
  core_->set_group_name(index_, std::move(name));
  return *this;
}

Group& Group::limits(const Limits& limits) {
  core_->set_group_limits(index_, limits);
  return *this;
}

void Group::add_fallback(app::Endpoint endpoint, const std::source_location& place) {
  core_->set_fallback(index_, std::move(endpoint), place);
}

Group Group::group(PlacedPattern prefix) {
  return {*core_, core_->add_group(index_, prefix)};
}

Route Group::add(RouteMethod method, PlacedPattern pattern, app::Endpoint endpoint) {
  return {*core_, core_->add_route(index_, method, pattern, std::move(endpoint))};
}

void Group::add(app::MiddlewareBox middleware, const std::source_location& place) {
  middleware.place = place;
  core_->add_middleware(index_, std::move(middleware));
}

void App::add_mistake(std::string_view what, const std::source_location& place) {
  core_->add_mistake(what, place);
}

http::Observer* App::observer() const noexcept {
  return core_->observer();
}

void App::set_observer(base::Box<http::Observer> observer) {
  core_->set_observer(std::move(observer));
}

Group App::add_listener(Listener listener, const std::source_location& place) {
  return {*core_, core_->add_own_listener(std::move(listener), place)};
}

void App::add(app::SharedState state, std::string_view type, const std::source_location& place) {
  core_->add_state(state, type, place);
}

void App::add(app::PerLoopFactory factory, std::string_view type, const std::source_location& place) {
  core_->add_per_loop(std::move(factory), type, place);
}

void App::add(app::ErrorMapping mapping) {
  core_->add_error_mapping(mapping);
}

void App::add(Milliseconds interval, base::Box<coro::Work> work, const std::source_location& place) {
  core_->add_repeated(interval, std::move(work), place);
}

App& App::on_reload(base::Function<void()> f) {
  core_->add_reload(std::move(f));
  return *this;
}

void App::add(app::HookKind kind, base::Box<coro::Work> hook) {
  core_->add_hook(kind, std::move(hook));
}

void App::add(base::Box<Bus> bus, const std::source_location& place) {
  core_->set_bus(std::move(bus), place);
}

void App::set_violation_text(app::ViolationText text) {
  core_->set_violation_text(std::move(text));
}

void App::add_link(const std::string& name, std::size_t values, const std::source_location& place) {
  core_->add_link({name, values, place});
}

void App::set_problem_renderer(app::ProblemRenderer render) {
  core_->set_problem_renderer(std::move(render));
}

App& App::trailing_slash(TrailingSlash policy) {
  core_->set_trailing_slash(policy);
  return *this;
}

App& App::method_override(MethodOverride from) {
  core_->set_method_override(std::move(from));
  return *this;
}

App& App::deny_unknown_members(bool deny) {
  core_->deny_unknown_members(deny);
  return *this;
}

std::vector<RouteInfo> App::routes() const {
  return core_->routes();
}

Group App::listener(std::string_view name, std::source_location place) {
  return {*core_, core_->add_listener(name, place)};
}

Group App::host(std::string_view name, std::source_location place) {
  return {*core_, core_->add_host(name, place)};
}

const Service& App::service() {
  core_->freeze();
  return *core_;
}

}  // namespace tern
