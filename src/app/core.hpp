// The application behind App: its routes, groups, middleware, states and error mappings, and the path of a request
// through them.
//
// Life of a request in this room: serve() finds the route, pins the head if user code may outlive this iteration, and
// calls the first link of the route's chain. Each middleware calls the next by its Next. The last link is the endpoint,
// which extracts parameters, calls the handler and makes the response. caught() converts all exceptions to responses.
#pragma once

#include "app/mistakes.hpp"
#include "app/router.hpp"
#include "http/local_host.hpp"

#include <tern/app/app.hpp>
#include <tern/app/route_notes.hpp>
#include <tern/http/observer.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::app {

// The response to a path without a route; kept with the request while its middleware runs.
struct Unrouted {
  Problem problem;
  std::string location;  // of a redirect
};

struct OperationEntry;

// A URL that a program makes by a route's name; see App::link().
struct LinkEntry {
  std::string name;
  std::size_t values = 0;
  std::source_location place;
};

// The routes of the listener with that name, or of a host; those of all others have neither.
struct RouteTable {
  std::string listener = {};
  std::string host = {};  // in lower case; perhaps "*.example.org"
  std::size_t root = 0;   // the group around them
  std::source_location place = {};
  Router router = {};
};

// The hooks around the serving, in the order of registration.
struct Hooks {
  struct Repeated {
    Milliseconds interval;
    base::Box<coro::Work> work;
    std::source_location place;
  };
  std::vector<base::Box<coro::Work>> start;
  std::vector<base::Box<coro::Work>> stop;
  std::vector<Repeated> every;
  std::vector<base::Function<void()>> reload;
};

class Core final : public Service {
public:
  Core();
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Registration. Errors are collected for freeze(). Throws SetupError after the start.
  std::size_t add_route(std::size_t group, RouteMethod method, const PlacedPattern& pattern, Endpoint endpoint);
  std::size_t add_group(std::size_t parent, const PlacedPattern& prefix);
  // The group around the routes of a listener, which have a separate table.
  std::size_t add_listener(std::string_view name, const std::source_location& place);
  // The group around the routes of a host, which have a separate table, too.
  std::size_t add_host(std::string_view name, const std::source_location& place);
  // One that the app brings along, beside those of the options. Middleware of the app does not apply to its routes.
  std::size_t add_own_listener(Listener listener, const std::source_location& place);
  const std::vector<Listener>& own_listeners() const noexcept { return own_listeners_; }
  void set_observer(base::Box<http::Observer> observer);
  http::Observer* observer() const noexcept { return observer_.get(); }  // null: none
  // The group of one path: its routes have the group's pattern.
  std::size_t add_path(std::size_t parent, const PlacedPattern& pattern);
  // Takes over everything of `mounted`, whose registration is over then. Returns the group around it.
  std::size_t mount(std::size_t parent, const PlacedPattern& prefix, base::Box<Core> mounted);
  void set_fallback(std::size_t group, Endpoint endpoint, const std::source_location& place);
  void set_group_name(std::size_t group, std::string name);
  void set_group_limits(std::size_t group, const Limits& limits);
  void add_middleware(std::size_t group, MiddlewareBox middleware);
  void add_route_middleware(std::size_t route, MiddlewareBox middleware);
  void set_name(std::size_t route, std::string name, const std::source_location& place);
  void set_limits(std::size_t route, const Limits& limits);
  void add_mistake(std::string_view what, const std::source_location& place) { mistakes_.add(place, what); }
  void add_state(SharedState state, std::string_view type, const std::source_location& place);
  void add_per_loop(PerLoopFactory factory, std::string_view type, const std::source_location& place);
  void add_error_mapping(ErrorMapping mapping);
  void add_hook(HookKind kind, base::Box<coro::Work> hook);
  void add_reload(base::Function<void()> hook);
  void add_repeated(Milliseconds interval, base::Box<coro::Work> work, const std::source_location& place);
  void set_problem_renderer(ProblemRenderer render);
  void set_violation_text(ViolationText text);
  void set_trailing_slash(TrailingSlash policy);
  void set_method_override(MethodOverride from);
  void deny_unknown_members(bool deny);
  bool denies_unknown_members() const noexcept {
    return deny_unknown_members_ || (outer_ != nullptr && outer_->denies_unknown_members());
  }
  void set_bus(base::Box<Bus> bus, const std::source_location& place);
  std::vector<RouteInfo> routes() const;
  // See App::url().
  std::string url(std::string_view name, std::span<const UrlValue> values) const;

  void add_link(LinkEntry link);

  // For the OpenAPI document (operations.cpp). Notes are made by the first call.
  RouteNotes& route_notes(std::size_t route);
  RouteNotes& group_notes(std::size_t group);
  void set_openapi(OpenApiOptions options, const std::source_location& place);
  // The options for the document of a listener or a host, or of neither; null: there is no such document.
  const OpenApiOptions* openapi(std::string_view listener = {}, std::string_view host = {}) const noexcept;
  // Calls `work` at the end of freeze(), with the outermost app.
  void when_complete(base::Function<void(const Core& outermost)> work);
  // The routes of `within`, which is this app or mounted in it, that are not hidden: those of a listener, those that
  // requests to a host reach, or those without either.
  std::vector<OperationEntry> operations(const Core& within, std::string_view listener, std::string_view host) const;
  const std::deque<RouteTable>& tables() const noexcept { return tables_; }
  const RouteTable& table_of(Exchange& exchange) const noexcept;
  // What the mapping for errors of this type returns; null if there is none.
  const ResultContract* mapped_result(const void* key) const;

  const Hooks& hooks() const noexcept { return hooks_; }
  Bus* bus() const noexcept { return bus_.get(); }  // null: none
  // For tests: where publications go beside the server that runs, if any. Empty: nowhere.
  using LocalTopics = base::Function<void(const Publication&)>;
  void set_local_topics(LocalTopics topics) { local_topics_ = std::move(topics); }
  const LocalTopics& local_topics() const noexcept { return local_topics_; }

  // Throws SetupError unless every listener with its own routes is one of `names`.
  void check_listeners(std::span<const std::string> names) const;
  // Checks that all states of handlers are registered, and builds the chains; nothing can be registered afterwards.
  // Further calls have no effect. Throws one SetupError with all errors of the setup, in the order of registration.
  void freeze();
  // Allocates the state per loop for `loops` loops. Destroys the previous one.
  void prepare_loops(std::size_t loops);

  // Requests for hosts that the public DNS may have get 421, unless the app has hosts of its own or middleware that
  // checks them. For servers that only this machine can reach: against DNS rebinding. Once the app is frozen; from any
  // thread.
  void serve_local_hosts_only(bool only) noexcept;

  Reply serve(Exchange& exchange) const noexcept override;
  Response refuse(const Problem& problem) const noexcept override;
  Response refuse_request(const Problem& problem, const Request& request) const noexcept override;
  Response refuse_instead(const Problem& problem, Exchange& exchange) const noexcept override;
  const Core* app() const noexcept override { return this; }
  // By the hook of App::on_violation, if there is one.
  void replace_texts(Problem& problem, const Request& request) const;

  const void* find_state(const void* key) const noexcept;
  // Replaces the state of the same type, and returns it; unset if there is none. For tests.
  std::optional<SharedState> replace_state(const SharedState& state);
  void* find_per_loop(std::size_t loop, const void* key) const;
  std::optional<Response> map_exception(Exchange& exchange) const;
  std::optional<Response> map_value(const DomainError& error, Exchange& exchange) const;

private:
  // The hook of this app, or of the one that it is mounted in; null if there is none.
  const ViolationText* violation_text() const noexcept {
    if (violation_text_) return &violation_text_;
    return outer_ != nullptr ? outer_->violation_text() : nullptr;
  }
  // An endpoint with its middleware.
  struct Target {
    const Endpoint* endpoint = nullptr;
    std::optional<Limits> limits;
    std::vector<Link> chain;
    std::vector<Link> preflight;  // the chain around the answer to a CORS preflight; empty without first middleware
    bool pins = false;            // user code of the chain may outlive the iteration
  };
  // One of several handlers of a method and pattern.
  struct Representation {
    const Endpoint* endpoint = nullptr;
    bool sets_type = false;  // the response has the media type of produces()
  };
  struct RouteEntry {
    Method method = Method::Get;
    std::string extension_method;
    std::string pattern;
    std::string name;
    std::vector<std::string> placeholders;
    std::size_t group = 0;
    Endpoint endpoint;
    std::deque<MiddlewareBox> middleware;
    Target target;
    std::uint32_t index = 0;  // when frozen
    std::source_location place;
    std::source_location name_place;
    base::Box<RouteNotes> notes;
    // Of the first route of a method and pattern: the routes that Accept chooses from, itself included, and their media
    // types. Empty where Accept does not matter.
    std::vector<Router::RouteIndex> representations;
    std::vector<std::string_view> offered;
    Representation representation;  // of each of them
    bool is_special = false;        // more than its target decides about the response
    bool faulty = false;            // not served: it, or its group, has an error
  };
  struct GroupEntry {
    std::string prefix;
    std::string own;  // its part after the prefix of its parent
    std::string name;
    std::size_t parent = 0;
    std::size_t table = 0;
    const Core* owner = nullptr;  // the app whose states its handlers use
    std::deque<MiddlewareBox> middleware;
    base::Box<RouteNotes> notes;
    std::optional<Limits> limits;
    std::optional<Endpoint> fallback_endpoint;
    std::source_location fallback_place;
    Target fallback;             // without an endpoint: a path without a route gets a 404
    std::vector<Link> unrouted;  // the chain around 404 and 405
    bool is_bare = false;        // no middleware of groups around it applies
    bool is_path = false;        // of add_path(): it has no subpaths
    bool faulty = false;         // so are its routes, whose errors are not reported
    bool pins = false;
  };

  void require_open(std::string_view what) const;
  static std::string title(const RouteEntry& route);
  void check_pattern(const RouteEntry& route, std::string_view own) const;
  void check_placeholders(const RouteEntry& route) const;
  bool has_around(std::size_t group, const void* provided) const;
  // Where a middleware may be that a handler or another middleware needs.
  struct Surroundings {
    std::size_t group = 0;
    const std::deque<MiddlewareBox>* own = nullptr;  // of a route; null: none
  };
  void check_middleware_needs(std::span<const Need> needs, const Surroundings& around, const std::string& title,
                              const std::source_location& place, Mistakes& mistakes) const;
  void check_needs(std::span<const Need> needs, const Core& owner, const std::string& title,
                   const std::source_location& place, Mistakes& mistakes) const;
  void check_route_needs(const RouteEntry& route, Mistakes& mistakes) const;
  void check_group_needs(std::size_t index, Mistakes& mistakes) const;
  std::vector<const IdentityType*> identities_of(std::size_t group) const;
  void check_identities(Mistakes& mistakes) const;
  void check_names(Mistakes& mistakes) const;
  void check_links(Mistakes& mistakes) const;
  void index_names();
  const RouteEntry* find_named(std::string_view name) const;
  std::string full_name(const RouteEntry& route) const;
  void append_operation(const RouteEntry& route, const Core& within, std::vector<OperationEntry>& list) const;
  void describe_groups(OperationEntry& entry, std::size_t index) const;
  bool is_within(const Core& other) const noexcept;
  bool renders_problems() const noexcept;
  static RouteMethod registered_method(const RouteEntry& route);
  void enter(RouteEntry& route);
  void check_told_apart(const RouteEntry& route, const RouteEntry& other) const;
  void add_representation(Router::RouteIndex first, Router::RouteIndex index);
  bool override_method(Request& request) const;
  const RouteTable& table_of(const RouteEntry& route) const { return tables_[groups_[route.group].table]; }
  void adopt_groups(Core& mounted, std::size_t around);
  void adopt_routes(Core& mounted, std::size_t first_group);
  void lay_out_group(std::size_t index);
  void lay_out_route(RouteEntry& route);
  static void close_chain(Target& target, bool pins);
  void lay_out_representations(RouteEntry& first);
  bool append_middleware(std::size_t group, std::vector<Link>& chain) const;
  bool append_first(std::size_t group, std::vector<Link>& chain) const;
  const Target* preflighted(const RouteTable& table, Exchange& exchange) const;
  // What a table has for a path. Without a route: the methods that the path offers, those of the app beside those of
  // the host.
  struct Found {
    const RouteEntry* route = nullptr;
    std::size_t parameters = 0;
    MethodMask offered = 0;
    MethodMask offered_everywhere = 0;
  };
  Found find(const RouteTable& table, RouteMethod method, std::string_view path, Exchange& exchange) const;
  bool knows_method(const RouteTable& table, const Request& request) const noexcept;
  std::string allow_value(const RouteTable& table, const Found& found) const;
  const RouteTable& table_of_host(Exchange& exchange) const noexcept;
  Reply serve_route(const RouteEntry& route, Exchange& exchange) const;
  Reply serve_special(const RouteEntry& route, Exchange& exchange) const;
  static Reply call_represented(const void* self, Exchange& exchange, Next next);
  const RouteEntry* choose(const RouteEntry& first, const Request& request) const noexcept;
  Reply serve_unacceptable(const RouteEntry& first, Exchange& exchange) const;
  static Reply serve_target(const Target& target, Exchange& exchange);
  Reply serve_unrouted(const RouteTable& table, Found found, Exchange& exchange) const;
  Reply serve_missing(const RouteTable& table, Exchange& exchange) const;
  Reply serve_outcome(const RouteTable& table, Unrouted outcome, Exchange& exchange) const;
  std::optional<Reply> serve_other_slash(const RouteTable& table, Exchange& exchange) const;
  const GroupEntry& innermost_group(const RouteTable& table, std::string_view path) const;
  Response render_problem(const Problem& problem, const Request* request) const noexcept;
  void destroy_loops() noexcept;

  Mistakes mistakes_;
  std::deque<RouteTable> tables_;  // the first is the App's own
  std::deque<RouteEntry> routes_;
  std::vector<std::pair<std::string, const RouteEntry*>> names_;  // sorted; when frozen
  std::deque<GroupEntry> groups_;                                 // the first is the App itself
  std::vector<SharedState> states_;
  std::vector<PerLoopFactory> factories_;
  std::vector<ErrorMapping> mappings_;
  std::vector<base::Function<void(const Core&)>> when_complete_;
  std::vector<LinkEntry> links_;
  std::deque<OpenApiOptions> openapi_;
  Hooks hooks_;
  base::Box<Bus> bus_;
  base::Box<http::Observer> observer_;
  std::vector<Listener> own_listeners_;
  LocalTopics local_topics_;
  ProblemRenderer render_;
  ViolationText violation_text_;
  TrailingSlash trailing_slash_ = TrailingSlash::Redirect;
  base::Box<MethodOverride> method_override_;  // null: none
  std::vector<base::Box<Core>> mounted_;
  const Core* outer_ = nullptr;  // the app that it is mounted in
  bool deny_unknown_members_ = false;
  std::atomic<bool> local_hosts_only_ = false;
  mutable http::LocalHosts local_hosts_;
  bool frozen_ = false;
  mutable std::vector<std::vector<void*>> per_loop_;  // by loop, then by factory; each loop uses only its own
};

// `pattern` below `prefix`.
std::string join(std::string_view prefix, std::string_view pattern);

}  // namespace tern::app
