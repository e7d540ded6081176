// Sessions: what a site remembers of a browser between requests.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/app/extract.hpp>
#include <tern/app/middleware.hpp>
#include <tern/base/duration.hpp>
#include <tern/http/cookie.hpp>
#include <tern/http/store.hpp>
#include <tern/json/json.hpp>
#include <tern/web/key_ring.hpp>
#include <tern/web/open_session.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

struct SessionOptions {
  // Where sessions are kept. Must outlive the app. Null: a MemoryStore of their own.
  Store* store = nullptr;
  // With keys, a session is kept in its cookie, encrypted, and has at most about 2,900 bytes. `store`, if there is one,
  // is for Sessions::end_all() only.
  std::optional<KeyRing> keys = {};
  // A session ends after `idle` without requests, and `absolute` after it has begun or the user has logged in.
  Seconds idle = Seconds(24 * 3600);
  Seconds absolute = Seconds(30 * 24 * 3600);
  std::string cookie = "__Host-session";
  SameSite same_site = SameSite::Lax;
  // Browsers delete the cookie when they are closed. Otherwise it lasts for `idle`.
  bool until_browser_closes = false;
  // For development without TLS: requests from loopback addresses get a cookie without Secure, whose name has no
  // prefix. Not needed for Chrome, Firefox and curl, which take Secure cookies from http://localhost.
  bool plain_loopback = false;
  // Other origins that may send requests with unsafe methods; see CrossOriginProtection.
  std::vector<std::string> trusted_origins = {};
  // Whether requests with unsafe methods that have a session, but neither Sec-Fetch-Site nor Origin, need
  // Session::csrf_token().
  bool csrf_tokens = true;
};

// The session of a request, as a parameter of a handler, with data of a type that can be JSON. It needs the middleware
// Sessions<T>. A new client has the data T{}, and gets a cookie only if something is changed.
//
//   app.post("/login", [](tern::Session<Visitor> session, tern::Form<Login> form) -> tern::Response {
//     …
//     session.login(account.id, {.name = account.name});
//     return tern::Response::redirect("/");
//   });
//
// Changes are stored once, before the response begins, unless its status is 5xx; later ones throw std::logic_error. A
// handle: copies are the same session. Valid as long as the request.
template <class T>
class Session {
  static_assert(std::default_initializable<T>,
                "tern: the data of a Session can be default-constructed: a new session has T{}");

public:
  explicit Session(web::OpenSession& open) noexcept : open_(&open) {}

  const T& operator*() const noexcept { return *static_cast<const T*>(open_->value()); }
  const T* operator->() const noexcept { return static_cast<const T*>(open_->value()); }

  // Whether the client has a session, or gets one.
  bool exists() const noexcept { return open_->exists(); }
  // The id given to login(); empty: there was no login.
  std::string_view user() const noexcept { return open_->user(); }

  // Calls function(T&, arguments…). It is called again, with the data of then, if another request has changed the
  // session meanwhile: changes of several requests add up. It captures nothing, and the arguments are copied, because
  // that happens when the handler has ended.
  template <class F, class... A>
  void update(F function, A&&... arguments) const {
    static_assert(std::is_empty_v<F>,
                  "tern: the function of Session::update captures nothing, because it may be called again after the "
                  "handler: pass what it needs as arguments, update([](T& data, int n) { … }, n)");
    static_assert(
        (true && ... && !(std::same_as<std::decay_t<A>, std::string_view> || std::is_pointer_v<std::decay_t<A>>)),
        "tern: an argument of Session::update is a view or pointer, but is used again after the handler: pass "
        "a std::string");
    static_assert(std::invocable<const F&, T&, const std::decay_t<A>&...>,
                  "tern: the function of Session::update is callable as f(T&, const arguments&…)");
    open_->change([function, copies = std::tuple<std::decay_t<A>...>(std::forward<A>(arguments)...)](
                      web::SessionRecord&, void* value) {
      std::apply([&](const auto&... each) { function(*static_cast<T*>(value), each...); }, copies);
    });
  }
  // Replaces the data. 409 instead of the response if another request has changed it meanwhile.
  void set(T data) const {
    open_->replace([data = std::move(data)](web::SessionRecord&, void* value) { *static_cast<T*>(value) = data; });
  }

  // After the user has proved who they are: a new id, which other clients cannot know, and a new life. `user`
  // identifies them in Sessions::end_all(). The first one keeps the data. Throws std::invalid_argument for an empty id.
  void login(std::string user) const { open_->log_in(std::move(user)); }
  void login(std::string user, T data) const {
    open_->log_in(std::move(user));
    open_->change([data = std::move(data)](web::SessionRecord&, void* value) { *static_cast<T*>(value) = data; });
  }
  // A new id with the same data: when the user gets more rights.
  void rotate() const { open_->rotate(); }
  // Logs out: removes the session and its cookie.
  void destroy() const { open_->destroy(); }

  // A message for the next page that takes them.
  void flash(std::string kind, std::string text) const {
    Flash message{std::move(kind), std::move(text)};
    open_->change(
        [message = std::move(message)](web::SessionRecord& record, void*) { record.flashes.push_back(message); });
  }
  std::vector<Flash> take_flashes() const { return open_->take_flashes(); }

  // For a form field of the name "csrf_token", or the field X-CSRF-Token of a request by a script. Another text in each
  // call, valid as long as the session has its id. Begins a session.
  std::string csrf_token() const { return open_->csrf_token(); }

private:
  web::OpenSession* open_;
};

namespace web {

class SessionService;

// For OpenAPI documents: what the middleware refuses, and what a handler with a session may answer.
void describe_sessions(Operation& operation);
void describe_session(Operation& operation);

template <class T>
inline constexpr SessionType session_type{
    &http::type_key<Session<T>>, [](Arena& arena) -> void* { return &arena.make<T>(); },
    [](std::string_view text, void* value) {
      auto read = json::read<T>(text);
      if (read) *static_cast<T*>(value) = std::move(*read);
      return read.has_value();
    },
    [](void* value) { *static_cast<T*>(value) = T{}; },
    [](const void* value) { return json::to_string(*static_cast<const T*>(value)); }};

// Sessions without their type. Counts the owners of its service.
class AnySessions {
public:
  AnySessions(SessionOptions options, const SessionType& type);
  AnySessions(const AnySessions& other) noexcept;
  AnySessions& operator=(const AnySessions& other) noexcept;
  ~AnySessions();

  Reply operator()(Request& request, Next next) const;
  Task<> end_all(std::string_view user) const;

private:
  SessionService* service_;
};

}  // namespace web

// Middleware that handlers with a Session<T> need:
//
//   app.use(tern::Sessions<Visitor>());
//
// The store has only a hash of the random id that the cookie has. Requests that a page of another origin makes a
// browser send get 403, as by CrossOriginProtection. If the store fails, a request that uses its session gets 503.
//
// A handle: copies are the same sessions. From any loop.
template <class T>
class Sessions {
public:
  static constexpr const void* provides = web::session_type<T>.key;

  // Throws SetupError for durations that are not positive, and for a cookie that browsers would ignore.
  explicit Sessions(SessionOptions options = {}) : sessions_(std::move(options), web::session_type<T>) {}

  Reply operator()(Request& request, Next next) const { return sessions_(request, next); }
  void describe(Operation& operation) const { web::describe_sessions(operation); }

  // Ends all sessions of a user, on all servers of the store: after a change of the password. Log the user in again
  // afterwards to keep the session of this request. Throws StoreError, and std::logic_error for sessions in cookies
  // without a store.
  Task<> end_all(std::string_view user) const { return sessions_.end_all(user); }

private:
  web::AnySessions sessions_;
};

template <class T>
struct Extract<Session<T>> {
  static constexpr app::NeededState needed_state{app::type_name<Sessions<T>>(), web::session_type<T>.key, true};
  static Task<std::expected<Session<T>, Rejection>> from(Request& request) {
    auto found = co_await web::OpenSession::find(request, web::session_type<T>.key);
    if (!found) co_return std::unexpected(std::move(found.error()));
    co_return Session<T>(**found);
  }
  static void describe(Operation& operation) { web::describe_session(operation); }
};

}  // namespace tern
