// The application behind App: its routes, groups, middleware, states and error mappings, and the way of a request
// through them.
//
// Life of a request in this room: serve() finds the route, pins the head where user code may outlive this wake-up, and
// calls the first link of the route's chain; each middleware calls the next by its Next; the last link is the endpoint,
// which extracts, calls the handler and makes the response. What is thrown anywhere becomes a response in caught().
#pragma once

#include "app/mistakes.hpp"
#include "app/router.hpp"

#include <tern/app/app.hpp>

#include <deque>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tern::app {

// What a path that no route serves gets; kept with the request while the middleware around it runs.
struct Unrouted {
  Problem problem;
  std::string location;  // of a redirect
};

// What is to be done around the serving, in the order of registration.
struct Hooks {
  struct Repeated {
    Milliseconds interval;
    base::Box<coro::Work> work;
  };
  std::vector<base::Box<coro::Work>> start;
  std::vector<base::Box<coro::Work>> stop;
  std::vector<Repeated> every;
};

class Core final : public Service {
public:
  Core();
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Registration. Mistakes are collected for freeze(). Throws SetupError when the start is over.
  std::size_t add_route(std::size_t group, RouteMethod method, const PlacedPattern& pattern, Endpoint endpoint);
  std::size_t add_group(std::size_t parent, const PlacedPattern& prefix);
  void add_middleware(std::size_t group, MiddlewareBox middleware);
  void add_route_middleware(std::size_t route, MiddlewareBox middleware);
  void set_name(std::size_t route, std::string name, const std::source_location& place);
  void set_limits(std::size_t route, const Limits& limits);
  void add_state(SharedState state, std::string_view type, const std::source_location& place);
  void add_per_loop(PerLoopFactory factory, std::string_view type, const std::source_location& place);
  void add_error_mapping(ErrorMapping mapping);
  void add_hook(HookKind kind, base::Box<coro::Work> hook);
  void add_repeated(Milliseconds interval, base::Box<coro::Work> work, const std::source_location& place);
  void set_problem_renderer(ProblemRenderer render);
  void set_trailing_slash(TrailingSlash policy);
  void set_bus(base::Box<Bus> bus, const std::source_location& place);
  std::vector<RouteInfo> routes() const;
  const Hooks& hooks() const noexcept { return hooks_; }
  Bus* bus() const noexcept { return bus_.get(); }  // null: none

  // Checks that everything that handlers need is there and lays out the chains; nothing can be registered afterwards.
  // Once is enough. Throws one SetupError for all mistakes of the setup, in the order of registration.
  void freeze();
  // Room for what each of `loops` loops has of its own. Destroys what was there.
  void prepare_loops(std::size_t loops);

  Reply serve(Exchange& exchange) const noexcept override;
  Response refuse(const Problem& problem) const noexcept override;
  Response refuse_request(const Problem& problem, const Request& request) const noexcept override;

  const void* find_state(const void* key) const noexcept;
  void* find_per_loop(std::size_t loop, const void* key) const;
  std::optional<Response> map_exception(Exchange& exchange) const;
  std::optional<Response> map_value(const DomainError& error, Exchange& exchange) const;

private:
  struct RouteEntry {
    Method method = Method::Get;
    std::string extension_method;
    std::string pattern;
    std::string name;
    std::vector<std::string> placeholders;
    std::size_t group = 0;
    Endpoint endpoint;
    std::optional<Limits> limits;
    std::deque<MiddlewareBox> middleware;
    std::vector<Link> chain;
    std::source_location place;
    bool faulty = false;  // not served: there is a mistake in it, or in its group
    bool pins = false;    // user code of its chain may outlive the wake-up
  };
  struct GroupEntry {
    std::string prefix;
    std::size_t parent = 0;
    std::deque<MiddlewareBox> middleware;
    std::vector<Link> fallback;  // the chain around 404 and 405
    bool faulty = false;         // so are its routes, which need not be told
    bool pins = false;
  };

  void require_open(std::string_view what) const;
  static std::string title(const RouteEntry& route);
  void check_pattern(const RouteEntry& route, std::string_view own) const;
  void check_placeholders(const RouteEntry& route) const;
  void check_states(const RouteEntry& route, Mistakes& mistakes) const;
  void enter(RouteEntry& route);
  MethodIndex method_of(const Request& request) const noexcept;
  bool append_middleware(std::size_t group, std::vector<Link>& chain) const;
  Reply serve_route(const RouteEntry& route, Exchange& exchange) const;
  Reply serve_unrouted(Router::Match match, Exchange& exchange) const;
  Reply serve_fallback(Unrouted outcome, Exchange& exchange) const;
  std::optional<Reply> serve_other_slash(Exchange& exchange) const;
  const GroupEntry& innermost_group(std::string_view path) const;
  Response render_problem(const Problem& problem, const Request* request) const noexcept;
  void destroy_loops() noexcept;

  Mistakes mistakes_;
  Router router_;
  std::deque<RouteEntry> routes_;
  std::deque<GroupEntry> groups_;  // the first is the App itself
  std::vector<SharedState> states_;
  std::vector<PerLoopFactory> factories_;
  std::vector<ErrorMapping> mappings_;
  Hooks hooks_;
  base::Box<Bus> bus_;
  ProblemRenderer render_;
  TrailingSlash trailing_slash_ = TrailingSlash::Redirect;
  bool frozen_ = false;
  mutable std::vector<std::vector<void*>> per_loop_;  // by loop, then by factory; each loop touches its own only
};

}  // namespace tern::app
