// Registration of routes: Group, and the handles it returns.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/middleware.hpp>
#include <tern/app/pattern.hpp>
#include <tern/app/resource.hpp>
#include <tern/app/route_method.hpp>
#include <tern/app/route_notes.hpp>
#include <tern/app/websocket.hpp>

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

class App;
class EmbeddedFolder;
struct FileOptions;
struct TemplateOptions;

namespace app {

class Core;

template <class F>
inline constexpr bool takes_no_placeholders = true;
template <class F>
  requires(HandlerTraits<F>::kind == Callable::Usable)
inline constexpr bool takes_no_placeholders<F> = takes_no_placeholders<typename HandlerTraits<F>::Arguments>;
template <class... A>
inline constexpr bool takes_no_placeholders<TypeList<A...>> =
    !(false || ... || (Positional<std::remove_cvref_t<A>> || TakesPlaceholderByName<std::remove_cvref_t<A>>));

}  // namespace app

// A registered route, for further settings.
class Route : public app::Documented<Route> {
public:
  Route(app::Core& core, std::size_t index) noexcept : core_(&core), index_(index) {}

  // Names the route, for App::routes().
  Route& name(std::string name, std::source_location place = std::source_location::current());
  Route& limits(const Limits& limits);
  // Adds middleware for this route, inside that of its groups.
  template <class M>
  Route& use(M middleware, std::source_location place = std::source_location::current()) {
    add(app::box_middleware(std::move(middleware)), place);
    return *this;
  }

private:
  friend class app::Documented<Route>;
  app::RouteNotes& route_notes();
  void add(app::MiddlewareBox middleware, const std::source_location& place);
  app::Core* core_;
  std::size_t index_;
};

class Group;

// The methods of one path: app.route("/items/{id}").get(…).put(…).del(…). The name, limits and middleware apply to all
// its methods, regardless of the order of registration; 404 and 405 are the group's.
class MethodChain : public app::Documented<MethodChain> {
public:
  MethodChain(app::Core& core, std::size_t index, const std::source_location& place)
      : core_(&core), index_(index), place_(place) {}

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

  MethodChain& name(std::string name);
  MethodChain& limits(const Limits& limits);
  template <class M>
  MethodChain& use(M middleware, std::source_location place = std::source_location::current()) {
    add(app::box_middleware(std::move(middleware)), place);
    return *this;
  }

private:
  friend class app::Documented<MethodChain>;
  app::RouteNotes& route_notes();
  void add(RouteMethod method, app::Endpoint endpoint);
  void add(app::MiddlewareBox middleware, const std::source_location& place);
  app::Core* core_;
  std::size_t index_;
  std::source_location place_;
};

// A class to be registered under a path; see Group::resources.
struct ResourceFactory {
  void (*add)(Group& group, PlacedPattern pattern);
};
using RoutingMap = std::vector<std::pair<std::string, ResourceFactory>>;

// Routes below a common prefix, which may have placeholders, with their own middleware. A handle: copies refer to the
// same group. Prefix and pattern are checked together; the SetupError of the start has the faults.
class Group : public app::Documented<Group> {
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
  // QUERY (RFC 10008): safe and idempotent like GET, with content. A request without Content-Type gets a 400.
  template <class F>
  Route query(PlacedPattern pattern, F handler) {
    return on(Method::Query, pattern, std::move(handler));
  }
  // Any method, also an extension method by its token: on("PURGE", "/cache", f). A method without any route is a 501.
  template <class F>
  Route on(RouteMethod method, PlacedPattern pattern, F handler) {
    return add(method, pattern, app::bind(std::move(handler)));
  }

  // See App::websocket().
  template <class F>
  Route websocket(PlacedPattern pattern, F handler, WebSocketOptions options = {}) {
    return add(Method::Get, pattern, app::bind_socket(std::move(handler), std::move(options)));
  }

  MethodChain route(PlacedPattern pattern);
  Group group(PlacedPattern prefix);
  // Adds the routes of `app` below the prefix, which has no placeholders. They keep the states, middleware and
  // fallbacks of `app`; its error mappings and problem renderer take precedence over those of the outer app. Its hooks
  // and its every() are added to the outer app; it has no bus. Nothing more can be registered with `app`, its groups
  // and routes. Returns the group around it, for middleware, limits and a name.
  Group mount(PlacedPattern prefix, App app);

  // Serves the files of `folder` below the prefix, with GET and HEAD; see docs/guide/files.md. A relative folder is one
  // of the working directory; one that cannot be opened is an error of the start. Returns the group around them. In the
  // component tern::web: the options need <tern/web.hpp>, a program needs the library.
  Group files(PlacedPattern prefix, std::string_view folder);
  Group files(PlacedPattern prefix, std::string_view folder, const FileOptions& options);
  // The same with files of the program (tern/web/embedded.hpp). The folder is a static object.
  Group files(PlacedPattern prefix, const EmbeddedFolder& folder);
  Group files(PlacedPattern prefix, const EmbeddedFolder& folder, const FileOptions& options);

  // Handles paths below the prefix without a route, in place of a 404: any method, any path. Takes no placeholders. The
  // innermost group's fallback applies.
  template <class F>
  Group& fallback(F handler, std::source_location place = std::source_location::current()) {
    static_assert(app::takes_no_placeholders<F>,
                  "tern: a fallback has no pattern, so its handler takes no placeholders");
    if constexpr (app::takes_no_placeholders<F>) add_fallback(app::bind(std::move(handler)), place);
    return *this;
  }
  // A prefix for the names of the group's routes, joined with a dot.
  Group& name(std::string name);
  // For routes and fallbacks of the group without limits of their own.
  Group& limits(const Limits& limits);

  // Adds middleware for all routes of this group and its subgroups, regardless of the order of registration, and for
  // its 404 and 405. The first is outermost.
  template <class M>
  Group& use(M middleware, std::source_location place = std::source_location::current()) {
    add(app::box_middleware(std::move(middleware)), place);
    return *this;
  }

  // Registers the member functions get, post, put, patch, del, head and options of C, as far as they exist, as the
  // methods of `pattern`. Each request gets a default-constructed C.
  template <class C>
  MethodChain resource(PlacedPattern pattern) {
    static_assert(
        app::Resource<C>,
        "tern: a resource is default-constructible and has at least one member function (not overloaded, not a "
        "template) of get, post, put, patch, del, head, options");
    MethodChain chain = route(pattern);
    if constexpr (requires { &C::get; }) add_member<C, &C::get>(chain, Method::Get);
    if constexpr (requires { &C::post; }) add_member<C, &C::post>(chain, Method::Post);
    if constexpr (requires { &C::put; }) add_member<C, &C::put>(chain, Method::Put);
    if constexpr (requires { &C::patch; }) add_member<C, &C::patch>(chain, Method::Patch);
    if constexpr (requires { &C::del; }) add_member<C, &C::del>(chain, Method::Delete);
    if constexpr (requires { &C::head; }) add_member<C, &C::head>(chain, Method::Head);
    if constexpr (requires { &C::options; }) add_member<C, &C::options>(chain, Method::Options);
    return chain;
  }

  // Registers several resources: resources({{"/hello", tern::resource<Hello>}, {"/bye", tern::resource<Bye>}}).
  void resources(const RoutingMap& map, std::source_location place = std::source_location::current()) {
    for (const auto& [pattern, factory] : map) factory.add(*this, {pattern, place});
  }

private:
  friend class app::Documented<Group>;
  app::RouteNotes& route_notes();
  template <class C, auto Member>
  static void add_member(MethodChain& chain, Method method) {
    chain.on(method, typename app::ResourceHandlerOf<C, Member>::type{});
  }
  Group add_files(const PlacedPattern& prefix, app::Endpoint endpoint);
  Route add(RouteMethod method, PlacedPattern pattern, app::Endpoint endpoint);
  void add(app::MiddlewareBox middleware, const std::source_location& place);
  void add_fallback(app::Endpoint endpoint, const std::source_location& place);

  app::Core* core_;
  std::size_t index_;
};

template <class C>
inline constexpr ResourceFactory resource{[](Group& group, PlacedPattern pattern) { group.resource<C>(pattern); }};

}  // namespace tern
