// Middleware that authenticates requests, and middleware that authorizes the user it has found.
#pragma once

#include <tern/app/identity.hpp>
#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/base/function.hpp>
#include <tern/http/request.hpp>
#include <tern/web/api_key.hpp>
#include <tern/web/jwt.hpp>
#include <tern/web/passwords.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

// What a scheme has found in a request.
struct Finding {
  enum class Kind : std::uint8_t { Absent, Invalid, Proven };
  Kind kind = Kind::Absent;   // Absent: no credentials of this scheme
  std::string_view why = {};  // of Invalid, for error_description; literal text without '"' and '\'
};

// A Finding, or a task that will have one.
class Attempt {
public:
  Attempt(Finding finding) noexcept : finding_(finding) {}          // NOLINT: a finding is an attempt
  Attempt(Task<Finding> task) noexcept : task_(std::move(task)) {}  // NOLINT: so is a task of one

  bool ready() const noexcept { return !task_; }
  const Finding& finding() const noexcept { return finding_; }
  Task<Finding>& task() noexcept { return task_; }

private:
  Finding finding_;
  Task<Finding> task_;
};

// A way to prove who sends a request; shared by all loops. For schemes of a program, see Authentication::scheme().
class AuthenticationScheme {
public:
  virtual ~AuthenticationScheme() = default;

  // Looks for credentials, and calls tern::identify(request, user, …) if they are valid. A task may use the request
  // until it ends if may_suspend() is true.
  virtual Attempt authenticate(Request& request) const = 0;
  virtual bool may_suspend() const noexcept { return true; }
  // Of WWW-Authenticate (RFC 9110, section 11.6.1): "Basic realm=\"shop\""; empty: none. `realm` is quoted text.
  virtual std::string challenge(std::string_view realm) const = 0;
  // Whether invalid_token may be added to the challenge (RFC 6750, section 3.1).
  virtual bool has_error_codes() const noexcept { return false; }
  // Its name and its Security Scheme Object in an OpenAPI document; an empty name: none.
  virtual std::pair<std::string, std::string> security() const { return {}; }
  // Whether it uses State<Passwords>.
  virtual bool needs_passwords() const noexcept { return false; }
};

// A user and the result of Passwords::hash(), for Authentication::basic().
template <class User>
struct PasswordOf {
  User user;
  std::string hash;
};

// The user of a key and the hash of ApiKey::generate(), for Authentication::api_key().
template <class User>
struct ApiKeyOf {
  User user;
  std::string hash;
};

namespace web {

class SchemeList;

template <class User, class R>
inline constexpr bool finds_user = std::same_as<R, std::optional<User>> || std::same_as<R, Task<std::optional<User>>>;

// The result of a program's function f(arguments…) or f(arguments…, request).
template <class F, class... A>
auto call_with_request(const F& f, Request& request, A&&... arguments) {
  if constexpr (std::is_invocable_v<const F&, A..., Request&>) {
    return f(std::forward<A>(arguments)..., request);
  } else {
    static_assert(std::is_invocable_v<const F&, A...>,
                  "tern: this function of an Authentication takes other parameters: see the comment of the scheme; a "
                  "tern::Request& may follow them");
    return f(std::forward<A>(arguments)...);
  }
}
template <class F, class... A>
using FoundBy = decltype(call_with_request(std::declval<const F&>(), std::declval<Request&>(), std::declval<A>()...));

constexpr Finding unknown_credentials{Finding::Kind::Invalid, "the credentials are unknown"};

template <class User>
Finding identify_found(Request& request, std::optional<User> user, std::string_view scheme) {
  if (!user) return unknown_credentials;
  identify(request, std::move(*user), scheme);
  return {Finding::Kind::Proven, {}};
}
template <class User>
Task<Finding> identify_later(Request& request, Task<std::optional<User>> found, std::string_view scheme) {
  co_return identify_found(request, co_await std::move(found), scheme);
}

template <class User, class F, class... A>
Attempt attempt(const F& f, Request& request, std::string_view scheme, A&&... arguments) {
  using Result = FoundBy<F, A...>;
  static_assert(finds_user<User, Result>,
                "tern: this function of an Authentication<User> returns std::optional<User>, or a tern::Task of it");
  if constexpr (std::same_as<Result, std::optional<User>>) {
    return identify_found(request, call_with_request(f, request, std::forward<A>(arguments)...), scheme);
  } else {
    return identify_later(request, call_with_request(f, request, std::forward<A>(arguments)...), scheme);
  }
}

using TokenCheck = base::Function<Attempt(std::string_view token, Request& request)>;
using PasswordLookup =
    base::Function<Task<Finding>(std::string_view name, std::string_view password, Request& request)>;
using ClientCheck = base::Function<Attempt(const TlsFacts& facts, Request& request)>;

base::Box<AuthenticationScheme> bearer_scheme(TokenCheck check, bool is_jwt, bool may_suspend);
base::Box<AuthenticationScheme> basic_scheme(PasswordLookup lookup);
base::Box<AuthenticationScheme> api_key_scheme(TokenCheck check, std::string field, bool may_suspend);
base::Box<AuthenticationScheme> certificate_scheme(ClientCheck check, bool may_suspend);

Finding invalid_token(JwtError error) noexcept;
// The state of the app, for Basic.
const Passwords& passwords_of(const Request& request);

// The schemes of an Authentication.
class Authenticator {
public:
  Authenticator();
  Authenticator(Authenticator&&) noexcept = default;
  Authenticator& operator=(Authenticator&&) noexcept = default;
  ~Authenticator() = default;

  void add(base::Box<AuthenticationScheme> scheme);
  void set_realm(std::string realm);
  void set_optional();

  Reply run(Request& request, Next next, const app::IdentityType& type) const;
  bool may_suspend() const noexcept;
  std::span<const app::Need> needs() const noexcept;
  void describe(Operation& operation) const;

private:
  base::Box<SchemeList> schemes_;
};

}  // namespace web

// Finds out who sends a request, by any of its schemes, for an app, a group or a route:
//
//   api.use(tern::Authentication<User>()
//               .bearer([](std::string_view token) { return users.by_token(token); })
//               .api_key([](std::string_view prefix) { return keys.find(prefix); }));
//
// What is behind it is closed: a request without valid credentials gets a 401 with the challenge of each scheme, or a
// 403 if no scheme has one. The schemes are tried in their order; the first that proves an identity wins. A request
// that has an identity of User already passes. Handlers take tern::Identity<User>.
//
// The functions of the program are called by all loops concurrently. Each returns std::optional<User>, unset for
// unknown credentials, or a Task of it, and may take a tern::Request& as its last parameter.
template <class User>
class Authentication {
public:
  using Identifies = User;

  Authentication() = default;

  // The protection space, a part of challenges (RFC 9110, section 11.5). Printable ASCII without '"' and '\'; throws
  // SetupError otherwise. "api" by default.
  Authentication realm(std::string text) && {
    authenticator_.set_realm(std::move(text));
    return std::move(*this);
  }
  // Requests without credentials pass without an identity; invalid credentials are still refused.
  Authentication optional() && {
    authenticator_.set_optional();
    return std::move(*this);
  }

  // Authorization: Bearer (RFC 6750). f(std::string_view token).
  template <class F>
  Authentication bearer(F f) && {
    constexpr bool suspends = !std::same_as<web::FoundBy<F, std::string_view>, std::optional<User>>;
    return std::move(*this).scheme(web::bearer_scheme(
        [f = std::move(f)](std::string_view token, Request& request) {
          return web::attempt<User>(f, request, "Bearer", token);
        },
        false, suspends));
  }

  // A JSON Web Token as Bearer, whose claims are read into the User by reflection.
  Authentication jwt(JwtVerifier verifier) && {
    return std::move(*this).template jwt<User>(std::move(verifier),
                                               [](const User& user) { return std::optional<User>(user); });
  }
  // The claims are read into Claims. f(const Claims& claims).
  template <class Claims, class F>
  Authentication jwt(JwtVerifier verifier, F f) && {
    constexpr bool suspends = !std::same_as<web::FoundBy<F, const Claims&>, std::optional<User>>;
    return std::move(*this).scheme(web::bearer_scheme(
        [verifier = std::move(verifier), f = std::move(f)](std::string_view token, Request& request) -> Attempt {
          auto claims = verifier.template verify<Claims>(token);
          if (!claims) return web::invalid_token(claims.error());
          const Claims& kept = request.arena().template make<Claims>(std::move(*claims));
          return web::attempt<User>(f, request, "Bearer", kept);
        },
        true, suspends));
  }

  // Authorization: Basic (RFC 7617). f(std::string_view name) returns std::optional<PasswordOf<User>>, or a Task of it.
  // The password is verified by the State<Passwords> of the app, which takes as long for unknown names.
  template <class F>
  Authentication basic(F f) && {
    return std::move(*this).scheme(web::basic_scheme(
        [f = std::move(f)](std::string_view name, std::string_view password, Request& request) -> Task<Finding> {
          return verify_password(f, name, password, request);
        }));
  }

  // A key of ApiKey::generate() in a field. f(std::string_view prefix) returns std::optional<ApiKeyOf<User>>, or a Task
  // of it. Throws SetupError for a field with other characters than letters, digits and '-'.
  template <class F>
  Authentication api_key(F f, std::string field = "X-API-Key") && {
    using Result = web::FoundBy<F, std::string_view>;
    static_assert(web::finds_user<ApiKeyOf<User>, Result>,
                  "tern: the function of api_key() returns std::optional<tern::ApiKeyOf<User>>, or a tern::Task of it");
    constexpr bool suspends = !std::same_as<Result, std::optional<ApiKeyOf<User>>>;
    return std::move(*this).scheme(web::api_key_scheme(
        [f = std::move(f)](std::string_view key, Request& request) -> Attempt {
          if constexpr (suspends) {
            return verify_key_later(f, key, request);
          } else {
            return verify_key(web::call_with_request(f, request, ApiKey::prefix_of(key)), key, request);
          }
        },
        std::move(field), suspends));
  }

  // The verified certificate of a TLS client; see TlsOptions. f(const tern::TlsFacts& facts).
  template <class F>
  Authentication client_certificate(F f) && {
    constexpr bool suspends = !std::same_as<web::FoundBy<F, const TlsFacts&>, std::optional<User>>;
    return std::move(*this).scheme(web::certificate_scheme(
        [f = std::move(f)](const TlsFacts& facts, Request& request) {
          return web::attempt<User>(f, request, "TLS", facts);
        },
        suspends));
  }

  // One's own, such as a session.
  Authentication scheme(base::Box<AuthenticationScheme> scheme) && {
    authenticator_.add(std::move(scheme));
    return std::move(*this);
  }

  Reply operator()(Request& request, Next next) const {
    return authenticator_.run(request, next, app::identity_type<User>);
  }
  bool may_suspend() const noexcept { return authenticator_.may_suspend(); }
  std::span<const app::Need> needs() const noexcept { return authenticator_.needs(); }
  void describe(Operation& operation) const { authenticator_.describe(operation); }

private:
  template <class F>
  static Task<Finding> verify_password(const F& f, std::string_view name, std::string_view password, Request& request) {
    using Result = web::FoundBy<F, std::string_view>;
    static_assert(web::finds_user<PasswordOf<User>, Result>,
                  "tern: the function of basic() returns std::optional<tern::PasswordOf<User>>, or a tern::Task of it");
    std::optional<PasswordOf<User>> known;
    if constexpr (std::same_as<Result, std::optional<PasswordOf<User>>>) {
      known = web::call_with_request(f, request, name);
    } else {
      known = co_await web::call_with_request(f, request, name);
    }
    std::optional<std::string_view> hash;
    if (known) hash = known->hash;
    const PasswordCheck check = co_await web::passwords_of(request).verify(password, hash);
    if (!known || check == PasswordCheck::Wrong) co_return web::unknown_credentials;
    identify(request, std::move(known->user), "Basic");
    co_return Finding{Finding::Kind::Proven, {}};
  }

  static Finding verify_key(std::optional<ApiKeyOf<User>> known, std::string_view key, Request& request) {
    if (!known || !ApiKey::verify(key, known->hash)) return web::unknown_credentials;
    identify(request, std::move(known->user), "ApiKey");
    return {Finding::Kind::Proven, {}};
  }
  template <class F>
  static Task<Finding> verify_key_later(const F& f, std::string_view key, Request& request) {
    co_return verify_key(co_await web::call_with_request(f, request, ApiKey::prefix_of(key)), key, request);
  }

  web::Authenticator authenticator_;
};

// Middleware behind an authenticator that lets only some users pass: others get a 403, anonymous requests a 401. The
// start checks that an authenticator is in front of it, and that its users can have roles or scopes: User has a member
// `roles` (a list of text or of an enumeration), `role` or has_role(name); or `scopes`, `scope` (text, separated by
// spaces) or has_scope(name).
class Requirement {
public:
  Requirement(app::Grant grant, std::vector<std::string> names);

  Reply operator()(Request& request, Next next) const;
  app::IdentityNeed identity_need() const noexcept { return {true, nullptr, grant_}; }
  void describe(Operation& operation) const;

private:
  app::Grant grant_;
  std::vector<std::string> names_;
  std::string challenge_;  // of a 403 for scopes
};

// An identity of any type: after an optional Authentication.
Requirement require_identity();
// One of these roles.
Requirement require_role(std::string role);
Requirement require_role(std::initializer_list<std::string> roles);
// All of these scopes. The 403 names them (insufficient_scope, RFC 6750, section 3.1).
Requirement require_scope(std::string scope);
Requirement require_scope(std::initializer_list<std::string> scopes);

namespace web {
// Whether the request may pass: unset, or the refusal.
std::optional<Response> refusal_without_identity(Request& request, const app::IdentityType* type);
Response forbidden(Request& request);
void describe_requirement(Operation& operation);
}  // namespace web

// The result of require<User>().
template <class User, class F>
class PredicateRequirement {
public:
  explicit PredicateRequirement(F allows) : allows_(std::move(allows)) {}

  Reply operator()(Request& request, Next next) const {
    if (auto refused = web::refusal_without_identity(request, identity_need().type)) return std::move(*refused);
    if (!web::call_with_request(allows_, request, *find_identity<User>(request))) return web::forbidden(request);
    return next();
  }
  app::IdentityNeed identity_need() const noexcept { return {true, &app::identity_type<User>, app::Grant::None}; }
  void describe(Operation& operation) const { web::describe_requirement(operation); }

private:
  F allows_;
};

// Users for whom allows(const User&) or allows(const User&, tern::Request&) is true:
//
//   app.del("/books/{id}", remove).use(tern::require<User>([](const User& user) { return user.age >= 18; }));
template <class User, class F>
PredicateRequirement<User, F> require(F allows) {
  return PredicateRequirement<User, F>(std::move(allows));
}

}  // namespace tern
