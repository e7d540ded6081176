// App: routes, middleware, shared state, and the server around them.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/error_mapping.hpp>
#include <tern/app/group.hpp>
#include <tern/app/middleware.hpp>
#include <tern/app/openapi.hpp>
#include <tern/app/options.hpp>
#include <tern/app/pattern.hpp>
#include <tern/app/query_param.hpp>
#include <tern/app/setup_error.hpp>
#include <tern/app/shared.hpp>
#include <tern/app/url.hpp>
#include <tern/base/box.hpp>
#include <tern/base/function.hpp>
#include <tern/coro/scope.hpp>
#include <tern/coro/work.hpp>
#include <tern/http/bus.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

// The response to "/books/" when only "/books" is a route, and vice versa.
enum class TrailingSlash : std::uint8_t {
  Redirect,  // 308 to the route
  Ignore,    // the route's response
  Strict,    // 404
};

// How clients that can only send GET and POST, such as HTML forms, name another method.
struct MethodOverride {
  std::string field = "X-HTTP-Method-Override";  // empty: none
  std::string query = {};                        // a parameter of the query string, such as "_method"; empty: none
};

struct RouteInfo {
  Method method = Method::Get;
  std::string pattern;
  std::string name;
  std::string extension_method = {};  // the token of Method::Extension
  std::string listener = {};          // see App::listener()
  std::string host = {};              // see App::host()

  std::string_view method_name() const noexcept {
    return method == Method::Extension ? std::string_view(extension_method) : tern::method_name(method);
  }
};

namespace testing {
class Client;
}

class AdminAddress;  // <tern/observe.hpp>
struct AdminOptions;
struct DashboardOptions;
class Metrics;
struct TracingOptions;
namespace http {
class Observer;
}

namespace app {

// The argument of App::on_problem. The request is null if none could be parsed.
using ProblemRenderer = base::Function<Response(const Problem& problem, const Request* request)>;

// The argument of App::on_violation.
using ViolationText = base::Function<std::string(const ProblemItem& violation, const Request& request)>;

struct SharedState {
  const void* key = nullptr;
  void* value = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
};

enum class HookKind : std::uint8_t { Start, Stop };

struct PerLoopFactory {
  const void* key = nullptr;
  base::Function<void*()> make;
  void (*destroy)(void*) noexcept = nullptr;
};

}  // namespace app

// A pattern for a handler of type F; a literal is checked against it at compile time, in the manner of
// std::format_string. The compiler's error names the fault.
template <class F>
class Pattern {
public:
  template <class Text>
    requires(std::is_convertible_v<const Text&, std::string_view> && !std::is_same_v<Text, std::string>)
  consteval Pattern(const Text& text,  // NOLINT: a literal is a pattern
                    std::source_location place = std::source_location::current())
      : text_(text), place_(place) {
    const app::PatternFacts facts = app::examine(text_);
    app::refuse(facts.fault);
    constexpr std::size_t taken = app::positional_count<std::decay_t<F>>();
    if constexpr (taken != 0) app::refuse_unless_taken<taken>(facts.placeholders);
  }
  Pattern(const Runtime& pattern)  // NOLINT: so is one of tern::runtime()
      : text_(pattern.pattern), place_(pattern.place) {}
  template <class Text>
    requires std::is_same_v<Text, std::string>
  Pattern(const Text&) {
    static_assert(!std::is_same_v<Text, std::string>,
                  "tern: a pattern that is not known while compiling is passed as tern::runtime(text)");
  }
  PlacedPattern placed() const { return {text_, place_}; }

private:
  std::string_view text_;
  std::source_location place_;
};

// An application and its server. Everything is registered before the start, by one thread; afterwards it is immutable.
class App {
public:
  App();
  App(App&& other) noexcept;
  App& operator=(App&& other) = delete;
  // Calls stop() first.
  ~App();

  // A literal pattern is checked against the handler at compile time. A pattern that is known only at run time is
  // passed as tern::runtime(text).
  template <class F>
  Route get(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.get(pattern.placed(), std::move(handler));
  }
  template <class F>
  Route post(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.post(pattern.placed(), std::move(handler));
  }
  template <class F>
  Route put(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.put(pattern.placed(), std::move(handler));
  }
  template <class F>
  Route patch(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.patch(pattern.placed(), std::move(handler));
  }
  template <class F>
  Route del(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.del(pattern.placed(), std::move(handler));
  }
  template <class F>
  Route head(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.head(pattern.placed(), std::move(handler));
  }
  template <class F>
  Route options(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.options(pattern.placed(), std::move(handler));
  }
  // QUERY (RFC 10008): safe and idempotent like GET, with content. A request without Content-Type gets a 400.
  template <class F>
  Route query(Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.query(pattern.placed(), std::move(handler));
  }
  // Any method, also an extension method by its token: on("PURGE", "/cache", f). A method without any route is a 501.
  template <class F>
  Route on(RouteMethod method, Pattern<std::type_identity_t<F>> pattern, F handler) {
    return root_.on(method, pattern.placed(), std::move(handler));
  }

  // Accepts WebSockets. The handler's parameters are those of any handler; if an extractor or a middleware rejects the
  // request, the response is sent as usual, otherwise the connection is upgraded. The handler is a coroutine, which
  // owns the WebSocket and closes it by its end:
  //   tern::Task<> echo(tern::WebSocket socket) {
  //     while (auto message = co_await socket.receive()) co_await socket.send(*message);
  //   }
  // or a function that is called before the upgrade and returns an object for each WebSocket. The object has message(),
  // and optionally the others:
  //   void open(tern::WebSocket& socket);
  //   void message(tern::WebSocket& socket, M message);     M: std::string_view (text only), tern::MessageView,
  //                                                         tern::Message, tern::Json<T>
  //   void drained(tern::WebSocket& socket);                the send queue is empty again
  //   void close(tern::WebSocket& socket, std::uint16_t code, std::string_view reason);
  template <class F>
  Route websocket(Pattern<std::type_identity_t<F>> pattern, F handler, WebSocketOptions options = {}) {
    return root_.websocket(pattern.placed(), std::move(handler), std::move(options));
  }
  // Sends `text` to all WebSockets and event streams of this app, on all loops, that have subscribed to the topic; see
  // WebSocket::subscribe() and EventStream::subscribe(). With a bus(), also to those of other servers; the result is
  // the status of that. From any thread; no effect while the app does not run. Throws std::invalid_argument unless
  // is_topic(topic) (publications have no wildcards), and for text that is not UTF-8.
  PublishStatus publish(std::string_view topic, std::string_view text) { return publish_message({topic, text, true}); }
  template <class T>
  PublishStatus publish(std::string_view topic, const Json<T>& json) {
    std::string text;
    append_json(text, json);
    return publish_message({topic, text, true});
  }
  PublishStatus publish_binary(std::string_view topic, std::string_view bytes) {
    return publish_message({topic, bytes, false});
  }
  // The number of WebSockets and event streams that have subscribed to exactly this topic, or to exactly this filter;
  // subscriptions to other matching topics and filters do not count. From any thread.
  std::size_t subscribers(std::string_view topic) const;
  std::size_t filter_subscribers(std::string_view filter) const;
  // Sets the bus that exchanges publications with other servers, such as a RedisBus (tern/redis.hpp). At most one;
  // without it, publications stay on this server.
  template <class B>
  App& bus(B bus, std::source_location place = std::source_location::current()) {
    static_assert(std::is_base_of_v<Bus, B>, "tern: App::bus() takes what is derived from tern::Bus");
    if constexpr (std::is_base_of_v<Bus, B>) add(base::Box<Bus>(new B(std::move(bus))), place);
    return *this;
  }

  MethodChain route(PlacedPattern pattern) { return root_.route(pattern); }
  Group group(PlacedPattern prefix) { return root_.group(prefix); }
  template <class C>
  MethodChain resource(PlacedPattern pattern) {
    return root_.resource<C>(pattern);
  }
  void resources(const RoutingMap& map, std::source_location place = std::source_location::current()) {
    root_.resources(map, place);
  }

  // A group with a separate route table, for a separate address (administration, metrics). Requests to the listener of
  // that name (Listener::name) are served only by these routes, and requests to other listeners never. Middleware,
  // limits, states and error mappings of the app apply, its fallback does not. Starting without such a listener throws
  // SetupError. Another call with the same name returns the same group.
  Group listener(std::string_view name, std::source_location place = std::source_location::current());
  // A group with a separate route table, for requests to a host (RFC 9110, section 7.2): a name, an address, or
  // "*.example.org", which is any name below; without port, and whatever its case. A name precedes wildcards, and a
  // longer wildcard a shorter one. Its routes precede those of the app, which are served at every host, and its
  // fallback that of the app. Another call with the same host returns the same group.
  Group host(std::string_view name, std::source_location place = std::source_location::current());
  // See Group::mount().
  Group mount(PlacedPattern prefix, App app) { return root_.mount(prefix, std::move(app)); }
  // In the component tern::observe; see docs/guide/metrics.md, health.md, tracing.md and dashboard.md.
  AdminAddress admin(const AdminOptions& options, std::source_location place = std::source_location::current());
  Group dashboard(PlacedPattern prefix, const DashboardOptions& options);
  Metrics& metrics();
  App& trace(TracingOptions options);
  // See Group::files().
  Group files(PlacedPattern prefix, std::string_view folder);
  Group files(PlacedPattern prefix, std::string_view folder, const FileOptions& options);
  Group files(PlacedPattern prefix, const EmbeddedFolder& folder);
  Group files(PlacedPattern prefix, const EmbeddedFolder& folder, const FileOptions& options);
  // Registers the templates below `folder` for tern::render() and State<Templates>; see docs/guide/templates.md. Those
  // that cannot be compiled are an error of the start, with file and line. In the component tern::web, as files().
  App& templates(std::string_view folder, std::source_location place = std::source_location::current());
  App& templates(std::string_view folder, const TemplateOptions& options,
                 std::source_location place = std::source_location::current());
  App& templates(const EmbeddedFolder& folder, std::source_location place = std::source_location::current());
  App& templates(const EmbeddedFolder& folder, const TemplateOptions& options,
                 std::source_location place = std::source_location::current());
  // See Group::fallback().
  template <class F>
  App& fallback(F handler, std::source_location place = std::source_location::current()) {
    root_.fallback(std::move(handler), place);
    return *this;
  }

  // Adds middleware for all routes.
  template <class M>
  App& use(M middleware, std::source_location place = std::source_location::current()) {
    root_.use(std::move(middleware), place);
    return *this;
  }

  // Registers a value for State<T>. Shared by all loops, const, and destroyed with the App.
  template <class T>
  App& state(T value, std::source_location place = std::source_location::current()) {
    static_assert(std::is_move_constructible_v<T>,
                  "tern: App::state() moves its value; what cannot be moved is made by App::emplace_state<T>(…)");
    add(app::SharedState{&http::type_key<T>, new T(std::move(value)),
                         [](void* dead) noexcept { delete static_cast<T*>(dead); }},
        app::type_name<T>(), place);
    return *this;
  }
  // The same, constructed in place: for types that cannot be moved because they have a mutex or an atomic.
  template <class T, class... A>
  App& emplace_state(A&&... arguments) {
    add(app::SharedState{&http::type_key<T>, new T(std::forward<A>(arguments)...),
                         [](void* dead) noexcept { delete static_cast<T*>(dead); }},
        app::type_name<T>(), {});
    return *this;
  }
  // Registers a factory of the T that each loop has, for PerLoop<T>.
  template <class F>
  App& per_loop(F make, std::source_location place = std::source_location::current()) {
    using T = std::invoke_result_t<F&>;
    add(app::PerLoopFactory{&http::type_key<T>, base::Function<void*()>([make = std::move(make)]() mutable -> void* {
                              return new T(make());
                            }),
                            [](void* dead) noexcept { delete static_cast<T*>(dead); }},
        app::type_name<T>(), place);
    return *this;
  }

  // Maps an exception, or the error of a std::expected, to a response: f takes it by const reference, perhaps also a
  // const Request&, and returns what a handler may return, or throws an HttpError; another exception of it is a logged
  // 500. The first mapping of a matching type, derived types included, applies; for the error of a std::expected, one
  // of exactly its type takes precedence. An HttpError has its own response, unless there is a mapping of HttpError.
  template <class F>
  App& on_error(F mapping) {
    if constexpr (app::usable_error_mapping<F>()) {
      add(app::make_error_mapping(std::move(mapping), typename app::HandlerTraits<F>::Arguments{}));
    } else {
      static_assert(
          app::usable_error_mapping<F>(),
          "tern: an error mapping is a function, a lambda or an object with one const operator() that takes "
          "one error by value or const reference, and perhaps a const tern::Request& behind it, and returns what a "
          "handler may return, at once");
    }
    return *this;
  }
  // Renders all error responses of the library; the default is RFC 9457's application/problem+json. `render` takes
  // (const Problem&) or (const Problem&, const Request*), and returns a Response, to which the status and the fields of
  // the problem are added. The request is null if none could be parsed (400, 408, 414, 431). Called by all loops
  // concurrently. Must not throw.
  template <class F>
  App& on_problem(F render) {
    if constexpr (std::is_invocable_r_v<Response, const F&, const Problem&, const Request*>) {
      set_problem_renderer(app::ProblemRenderer(std::move(render)));
    } else {
      static_assert(std::is_invocable_r_v<Response, const F&, const Problem&>,
                    "tern: App::on_problem() takes what can be called, const, with (const tern::Problem&) or "
                    "(const tern::Problem&, const tern::Request*) and returns a tern::Response");
      set_problem_renderer(app::ProblemRenderer(
          [render = std::move(render)](const Problem& problem, const Request*) { return render(problem); }));
    }
    return *this;
  }

  // Replaces the text of each entry in the `errors` of a 422, for other languages: `text` takes (const ProblemItem&,
  // const Request&) and returns a std::string; an empty one keeps the text. ProblemItem::code and ::expected say which
  // rule was violated. Called by all loops and the thread pool concurrently. Must not throw.
  template <class F>
  App& on_violation(F text) {
    static_assert(std::is_invocable_r_v<std::string, const F&, const ProblemItem&, const Request&>,
                  "tern: App::on_violation() takes what can be called, const, with (const tern::ProblemItem&, const "
                  "tern::Request&) and returns a std::string");
    set_violation_text(app::ViolationText(std::move(text)));
    return *this;
  }

  App& trailing_slash(TrailingSlash policy);

  // Serves a POST that names PUT, PATCH or DELETE as a request of that method, for routes, middleware and the access
  // log; 400 for any other name. Not for other methods, so that a link cannot change anything. With a query parameter,
  // a page of another site can send such requests by a form: see tern::CrossOriginProtection.
  App& method_override(MethodOverride from = {});

  // Rejects members of JSON content that the struct of a Json<T> does not have, with a 422 that lists them, instead of
  // ignoring them. For a single struct: JsonOptions (json/codec.hpp).
  App& deny_unknown_members(bool deny = true);

  // The path of the route of that name (RouteInfo::name) with a value for each placeholder, percent-encoded, and
  // perhaps a UrlQuery: url("book", 7), url("books.list", UrlQuery{{"page", 2}}). The value of "{name...}" may have
  // slashes. Throws std::invalid_argument, naming the route, for an unknown name, another number of values, and for a
  // value that the route would never get: an empty one, or one with a segment ".." for instance. From any thread once
  // the app runs.
  template <class... A>
  std::string url(std::string_view name, const A&... values) const {
    if constexpr (sizeof...(A) == 0) {
      return app::make_url(*core_, name, {});
    } else {
      const app::UrlValue all[] = {values...};
      return app::make_url(*core_, name, all);
    }
  }

  // The same as a function for handlers: const auto book = app.link<std::int64_t>("book"); … book(7). The route may be
  // registered later; the start fails if there is none of that name, or it has another number of placeholders.
  template <class... A>
  RouteLink<A...> link(std::string name, std::source_location place = std::source_location::current()) {
    add_link(name, sizeof...(A), place);
    return {*core_, std::move(name)};
  }

  // Serves the OpenAPI 3.1 document of all routes, made at the start from the types of their handlers, at the paths of
  // `options`, and a documentation page there. Hidden routes are not in it. Those of listeners and hosts are in
  // documents of their own: call it again with OpenApiOptions::listener or host. Of a mounted app, the document has
  // that app's routes only; the document of the app around it has them, too.
  App& openapi(OpenApiOptions options, std::source_location place = std::source_location::current());
  // The document as JSON, without serving it, for a file that a build compares. Ends the registration; throws
  // SetupError like start(). Without arguments, with the options of openapi().
  std::string openapi_document(const OpenApiOptions& options);
  std::string openapi_document();

  // All routes, in the order of registration.
  std::vector<RouteInfo> routes() const;

  // Hooks around the serving: plain functions or coroutines, on the first loop, one after the other.
  //
  // on_start: when the address() is bound and clients can connect, before the first request is served. An exception
  // ends the server and start().
  template <class F>
  App& on_start(F hook) {
    return add_hook(app::HookKind::Start, std::move(hook));
  }
  // on_stop: once for each on_start hook that has succeeded, in reverse order, when all requests and background tasks
  // have ended, or the time for the drain is over. It has the remaining time, but at least one second, before its await
  // throws Cancelled. Exceptions go to the error log, and the next hook runs.
  template <class F>
  App& on_stop(F hook) {
    return add_hook(app::HookKind::Stop, std::move(hook));
  }
  // Runs `work` periodically while the app serves, at every multiple of `interval` after the start, so that the times
  // do not drift. Runs never overlap: one that is due during another is skipped. Exceptions go to the error log, and
  // the next run follows. The stop token of a run fires when the drain begins.
  template <class F>
  App& every(Milliseconds interval, F work, std::source_location place = std::source_location::current()) {
    static_assert(coro::Runnable<F>, "tern: App::every() takes what takes nothing and returns nothing or tern::Task<>");
    if constexpr (coro::Runnable<F>) add(interval, coro::make_work(std::move(work)), place);
    return *this;
  }

  // tern::spawn() for any thread while the app runs: from a thread that is not a loop of this app, the task starts on
  // the first loop, asynchronously; not at all if the app ends before. Throws SetupError if the app does not run.
  void spawn(Task<> task);
  template <class F>
  void spawn(F work) {
    static_assert(coro::Runnable<F>,
                  "tern: App::spawn() takes a tern::Task<>, or what takes nothing and returns one (or nothing)");
    if constexpr (coro::Runnable<F>) spawn(coro::calling(std::move(work)));
  }

  // Serves until SIGINT or SIGTERM, then drains: requests in flight and their work end (Timeouts::drain; a second
  // signal ends them immediately). Returns 0. If it cannot start (an address in use, a mistake in the setup), prints
  // the reason to standard error and returns 1.
  [[nodiscard]] int run(const Options& options = {});

  // The same without signals, for embedding and tests: start() returns when the server accepts connections, and throws
  // SetupError on failure. stop() drains and returns when everything has ended; called from a handler, or with `wait`
  // false, it returns immediately, and wait() waits. stop() and wait() have no effect without a start. All three may be
  // called from any thread, but not concurrently, except stop().
  void start(const Options& options = {});
  void stop(bool wait = true);
  void wait();

  // Whether the shutdown has begun, by a signal or stop(), also during Timeouts::drain_delay. For a readiness route.
  // From any thread.
  bool is_draining() const noexcept;

  // The bound port; 0 if none. `listener` is 0 for the main address, and from 1 on an index into Options::listeners.
  std::uint16_t port(std::size_t listener = 0) const noexcept;
  std::uint16_t port(std::string_view listener) const noexcept;  // by Listener::name
  // The bound address, such as "127.0.0.1:8080".
  std::string address(std::size_t listener = 0) const;

  // Reloads all certificates for new connections; so does SIGHUP, and a change of a file within two seconds. Reads
  // files on the calling thread. Throws SetupError, naming the file, if some cannot be used; their listeners keep the
  // current ones. No effect while the app does not run.
  void reload_certificates();

  // Opens the files of the logs again by their names, for rotation; so do SIGUSR1 and SIGHUP. Does not wait.
  void reopen_logs();
  // The level of the error log, or of one of at most 100 parts or statements (see Logger). Only while the app runs.
  void set_log_level(LogLevel level, std::string_view part = {});

  // Calls f() at each SIGHUP, on the thread of run(), when logs and certificates have been opened again. An exception
  // goes to the error log.
  App& on_reload(base::Function<void()> f);
  // Gives the running server these options, as far as it can change them: limits, timeouts, bounds of new HTTP/2
  // connections, trusted proxies, the log level and the Server field. Returns the others that differ from those of the
  // start, and need a restart; the log names them. From any thread; no effect while the app does not run. Throws
  // SetupError for options that the start would refuse, and changes nothing then.
  std::vector<std::string> apply(const Options& options);

  // For other servers: the service, ready for requests. Throws SetupError like start().
  const Service& service();

private:
  friend class Group;  // mounts the core
  void set_problem_renderer(app::ProblemRenderer render);
  void set_violation_text(app::ViolationText text);
  void add_mistake(std::string_view what, const std::source_location& place);  // for components: the start fails
  http::Observer* observer() const noexcept;                                   // null: none
  void set_observer(base::Box<http::Observer> observer);
  // Serves a listener beside those of the options; its routes are in the group, without the app's middleware.
  Group add_listener(Listener listener, const std::source_location& place);
  void add(app::SharedState state, std::string_view type, const std::source_location& place);
  void add(app::PerLoopFactory factory, std::string_view type, const std::source_location& place);
  void add(app::ErrorMapping mapping);
  void add(Milliseconds interval, base::Box<coro::Work> work, const std::source_location& place);
  void add(app::HookKind kind, base::Box<coro::Work> hook);
  void add(base::Box<Bus> bus, const std::source_location& place);
  void add_link(const std::string& name, std::size_t values, const std::source_location& place);
  PublishStatus publish_message(const Publication& publication);
  template <class F>
  App& add_hook(app::HookKind kind, F hook) {
    static_assert(coro::Runnable<F>, "tern: a hook takes nothing and returns nothing or tern::Task<>");
    if constexpr (coro::Runnable<F>) add(kind, coro::make_work(std::move(hook)));
    return *this;
  }

  friend class testing::Client;
  class Runner;
  base::Box<app::Core> core_;
  base::Box<Runner> runner_;
  Group root_;
};

}  // namespace tern
