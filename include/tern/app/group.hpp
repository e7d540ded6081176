// Routes as they are registered: Group, and what it gives back.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/middleware.hpp>
#include <tern/app/pattern.hpp>
#include <tern/app/resource.hpp>
#include <tern/app/route_method.hpp>
#include <tern/app/websocket.hpp>

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

namespace app {
class Core;
}

// A route that was just registered, for what else there is to say about it.
class Route {
public:
  Route(app::Core& core, std::size_t index) noexcept : core_(&core), index_(index) {}

  // Names the route, for App::routes().
  Route& name(std::string name, std::source_location place = std::source_location::current());
  Route& limits(const Limits& limits);
  // Middleware of this route alone, inside that of its groups.
  template <class M>
  Route& use(M middleware) {
    add(app::box_middleware(std::move(middleware)));
    return *this;
  }

private:
  void add(app::MiddlewareBox middleware);
  app::Core* core_;
  std::size_t index_;
};

class Group;

// The methods of one path: app.route("/items/{id}").get(…).put(…).del(…).
class MethodChain {
public:
  MethodChain(app::Core& core, std::size_t group, PlacedPattern pattern)
      : core_(&core), group_(group), pattern_(pattern.text), place_(pattern.place) {}

  template <class F>
  MethodChain& get(F handler) {
    return on(Method::Get, std::move(handler));
  }
  template <class F>
  MethodChain& post(F handler) {
    return on(Method::Post, std::move(handler));
  }
  template <class F>
  MethodChain& put(F handler) {
    return on(Method::Put, std::move(handler));
  }
  template <class F>
  MethodChain& patch(F handler) {
    return on(Method::Patch, std::move(handler));
  }
  template <class F>
  MethodChain& del(F handler) {
    return on(Method::Delete, std::move(handler));
  }
  template <class F>
  MethodChain& head(F handler) {
    return on(Method::Head, std::move(handler));
  }
  template <class F>
  MethodChain& options(F handler) {
    return on(Method::Options, std::move(handler));
  }
  template <class F>
  MethodChain& query(F handler) {
    return on(Method::Query, std::move(handler));
  }
  template <class F>
  MethodChain& on(RouteMethod method, F handler) {
    add(method, app::bind(std::move(handler)));
    return *this;
  }

private:
  void add(RouteMethod method, app::Endpoint endpoint);
  app::Core* core_;
  std::size_t group_;
  std::string pattern_;
  std::source_location place_;
};

// A class to be registered under a path; see Group::resources.
struct ResourceFactory {
  void (*add)(Group& group, PlacedPattern pattern);
};
using RoutingMap = std::vector<std::pair<std::string, ResourceFactory>>;

// Routes below a common prefix, which may have placeholders, with middleware of their own. A handle: copies are the
// same group. Prefix and pattern are checked joined; the SetupError of the start tells what is wrong.
class Group {
public:
  Group(app::Core& core, std::size_t index) noexcept : core_(&core), index_(index) {}

  template <class F>
  Route get(PlacedPattern pattern, F handler) {
    return on(Method::Get, pattern, std::move(handler));
  }
  template <class F>
  Route post(PlacedPattern pattern, F handler) {
    return on(Method::Post, pattern, std::move(handler));
  }
  template <class F>
  Route put(PlacedPattern pattern, F handler) {
    return on(Method::Put, pattern, std::move(handler));
  }
  template <class F>
  Route patch(PlacedPattern pattern, F handler) {
    return on(Method::Patch, pattern, std::move(handler));
  }
  template <class F>
  Route del(PlacedPattern pattern, F handler) {
    return on(Method::Delete, pattern, std::move(handler));
  }
  template <class F>
  Route head(PlacedPattern pattern, F handler) {
    return on(Method::Head, pattern, std::move(handler));
  }
  template <class F>
  Route options(PlacedPattern pattern, F handler) {
    return on(Method::Options, pattern, std::move(handler));
  }
  // QUERY (RFC 10008): safe and idempotent as GET is, with content. A request without Content-Type is a 400.
  template <class F>
  Route query(PlacedPattern pattern, F handler) {
    return on(Method::Query, pattern, std::move(handler));
  }
  // Any method, also an extension method by its token: on("PURGE", "/cache", f). A method of no route is a 501.
  template <class F>
  Route on(RouteMethod method, PlacedPattern pattern, F handler) {
    return add(method, pattern, app::bind(std::move(handler)));
  }

  // See App::websocket().
  template <class F>
  Route websocket(PlacedPattern pattern, F handler, WebSocketOptions options = {}) {
    return add(Method::Get, pattern, app::bind_socket(std::move(handler), std::move(options)));
  }

  MethodChain route(PlacedPattern pattern) { return {*core_, index_, pattern}; }
  Group group(PlacedPattern prefix);

  // Middleware of all routes of this group and the groups in it, whenever they are registered, and of its 404 and 405.
  // What was added first is outermost.
  template <class M>
  Group& use(M middleware) {
    add(app::box_middleware(std::move(middleware)));
    return *this;
  }

  // The member functions get, post, put, patch, del, head and options of C, as far as there are any, become the methods
  // of `pattern`. Each request is served by a C of its own, made for it by the default constructor.
  template <class C>
  void resource(PlacedPattern pattern) {
    static_assert(
        app::Resource<C>,
        "tern: a resource is default-constructible and has at least one member function (not overloaded, not a "
        "template) of get, post, put, patch, del, head, options");
    if constexpr (requires { &C::get; }) add_member<C, &C::get>(Method::Get, pattern);
    if constexpr (requires { &C::post; }) add_member<C, &C::post>(Method::Post, pattern);
    if constexpr (requires { &C::put; }) add_member<C, &C::put>(Method::Put, pattern);
    if constexpr (requires { &C::patch; }) add_member<C, &C::patch>(Method::Patch, pattern);
    if constexpr (requires { &C::del; }) add_member<C, &C::del>(Method::Delete, pattern);
    if constexpr (requires { &C::head; }) add_member<C, &C::head>(Method::Head, pattern);
    if constexpr (requires { &C::options; }) add_member<C, &C::options>(Method::Options, pattern);
  }

  // Many resources at once: resources({{"/hello", tern::resource<Hello>}, {"/bye", tern::resource<Bye>}}).
  void resources(const RoutingMap& map, std::source_location place = std::source_location::current()) {
    for (const auto& [pattern, factory] : map) factory.add(*this, {pattern, place});
  }

private:
  template <class C, auto Member>
  void add_member(Method method, PlacedPattern pattern) {
    on(method, pattern, typename app::ResourceHandlerOf<C, Member>::type{});
  }
  Route add(RouteMethod method, PlacedPattern pattern, app::Endpoint endpoint);
  void add(app::MiddlewareBox middleware);

  app::Core* core_;
  std::size_t index_;
};

template <class C>
inline constexpr ResourceFactory resource{[](Group& group, PlacedPattern pattern) { group.resource<C>(pattern); }};

}  // namespace tern
