// Middleware that makes the user of a session the identity of its requests.
#pragma once

#include <tern/app/identity.hpp>
#include <tern/app/middleware.hpp>
#include <tern/app/needs.hpp>
#include <tern/web/session.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

namespace web {
void describe_session_identity(Operation& operation, std::string_view cookie);
}

// Behind Sessions<T>, for an app, a group or a route:
//
//   app.use(tern::Sessions<User>()).use(tern::SessionIdentity<User>());
//   app.get("/me", [](tern::Identity<User> user) { return user->name; });
//
// After Session::login(), the data of the session is the identity (tern::Identity<T>) until it ends; other requests
// have none. Loads the session of each request that has one.
template <class T>
class SessionIdentity {
public:
  using Identifies = T;

  // `cookie`: SessionOptions::cookie, which is the scheme "session" of OpenAPI documents.
  explicit SessionIdentity(std::string cookie = "__Host-session") : cookie_(std::move(cookie)) {}

  Task<Response> operator()(Request& request, Next next) const {
    auto session = co_await Extract<Session<T>>::from(request);
    if (!session) co_return request.exchange().refuse(session.error().problem);
    if (!session->user().empty()) identify(request, T(**session), "session");
    co_return co_await next();
  }

  // What the start checks.
  std::span<const app::Need> needs() const noexcept { return app::needs<Session<T>>; }
  void describe(Operation& operation) const { web::describe_session_identity(operation, cookie_); }

private:
  std::string cookie_;
};

}  // namespace tern
