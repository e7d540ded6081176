// Identity: who sends a request, whatever has proven it.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/identity_type.hpp>
#include <tern/http/request.hpp>

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// The user that an authenticator has found, as a handler's parameter:
//
//   app.use(tern::Authentication<User>().bearer(find_user));
//   app.get("/me", [](tern::Identity<User> user) { return user->name; });
//
// std::optional<Identity<User>> is unset for an anonymous request, where the authenticator lets it pass. The start
// checks that something in front of the handler gives an identity of User. Refers to the user, which lives as long as
// the request.
template <class User>
class Identity {
public:
  Identity(const User& user, std::string_view scheme) noexcept : user_(&user), scheme_(scheme) {}

  const User& operator*() const noexcept { return *user_; }
  const User* operator->() const noexcept { return user_; }
  // What has proven it: "Basic", "Bearer", "ApiKey", "TLS", or the text of identify().
  std::string_view scheme() const noexcept { return scheme_; }

private:
  const User* user_;
  std::string_view scheme_;
};

namespace app {

// An identity in a request; the latest hides earlier ones of its type.
struct KnownIdentity {
  const IdentityType* type;
  const void* user;
  std::string_view scheme;
  const KnownIdentity* earlier;
};

void add_identity(Request& request, const IdentityType& type, const void* user, std::string_view scheme);
// The latest of this type, or of any if it is null; null if there is none.
const KnownIdentity* known_identity(const Request& request, const IdentityType* type) noexcept;

// Notes challenges for a later 401 of this request (RFC 9110, section 11.6.1). They outlive the request.
void offer_challenges(Request& request, std::span<const std::string> challenges);
// The answer to a request without identity: a 401 with the challenges that were offered; a 403 if there are none.
Problem unauthenticated(const Request& request);

}  // namespace app

// Makes `user` the identity of the request. For middleware that authenticates: it declares `using Identifies = User;`,
// by which the start knows. `scheme` is a literal.
template <class User>
const User& identify(Request& request, User user, std::string_view scheme) {
  const User& kept = request.arena().template make<User>(std::move(user));
  app::add_identity(request, app::identity_type<User>, &kept, scheme);
  return kept;
}

// The identity of that type; null if the request has none.
template <class User>
const User* find_identity(const Request& request) noexcept {
  const app::KnownIdentity* known = app::known_identity(request, &app::identity_type<User>);
  return known == nullptr ? nullptr : static_cast<const User*>(known->user);
}

template <class User>
struct Extract<Identity<User>> {
  static constexpr const app::IdentityType* identity_type = &app::identity_type<User>;
  static std::expected<Identity<User>, Rejection> from(Request& request) {
    if (const app::KnownIdentity* known = app::known_identity(request, identity_type)) {
      return Identity<User>(*static_cast<const User*>(known->user), known->scheme);
    }
    Rejection rejection(app::unauthenticated(request));
    return std::unexpected(std::move(rejection));
  }
  static void describe(Operation& operation) {
    operation.needs_identity({});
    operation.problem(Status::Unauthorized, "The credentials are missing or invalid");
  }
};

template <class User>
struct Extract<std::optional<Identity<User>>> {
  static constexpr const app::IdentityType* identity_type = &app::identity_type<User>;
  static std::expected<std::optional<Identity<User>>, Rejection> from(Request& request) {
    const app::KnownIdentity* known = app::known_identity(request, identity_type);
    if (known == nullptr) return std::nullopt;
    return Identity<User>(*static_cast<const User*>(known->user), known->scheme);
  }
};

}  // namespace tern
