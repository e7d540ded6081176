#include <tern/web/authentication.hpp>

#include <tern/app/app.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr app::Need passwords_need[] = {
    {app::Need::Kind::State, app::type_name<State<Passwords>>(), &http::type_key<Passwords>}};

}  // namespace

class SchemeList {
public:
  Reply run(Request& request, Next next) const { return run_from(0, request, next, {}); }

  // The challenges of all schemes, for requests without credentials.
  void prepare() {
    challenges_.clear();
    for (const auto& scheme : schemes) {
      if (std::string text = scheme->challenge(realm); !text.empty()) challenges_.push_back(std::move(text));
    }
  }

  std::vector<base::Box<AuthenticationScheme>> schemes;
  std::string realm = "\"api\"";
  bool optional = false;

private:
  struct Invalid {
    const AuthenticationScheme* scheme = nullptr;  // the first with invalid credentials; null: none
    std::string_view why = {};
  };

  Reply run_from(std::size_t first, Request& request, Next next, Invalid invalid) const {
    for (std::size_t i = first; i < schemes.size(); ++i) {
      Attempt attempt = schemes[i]->authenticate(request);
      if (!attempt.ready()) return run_later(std::move(attempt.task()), i, request, next, invalid);
      if (attempt.finding().kind == Finding::Kind::Proven) return next();
      note(attempt.finding(), i, invalid);
    }
    return end(request, next, invalid);
  }

  Task<Response> run_later(Task<Finding> task, std::size_t index, Request& request, Next next, Invalid invalid) const {
    const Finding finding = co_await std::move(task);
    if (finding.kind == Finding::Kind::Proven) co_return co_await next();
    note(finding, index, invalid);
    co_return co_await run_from(index + 1, request, next, invalid);
  }

  void note(const Finding& finding, std::size_t index, Invalid& invalid) const {
    if (finding.kind == Finding::Kind::Invalid && invalid.scheme == nullptr) {
      invalid = {schemes[index].get(), finding.why};
    }
  }

  // When no scheme has proven an identity.
  Reply end(Request& request, Next next, const Invalid& invalid) const {
    if (invalid.scheme != nullptr) return refuse(request, invalid);
    app::offer_challenges(request, challenges_);
    return optional ? next() : Reply(request.exchange().refuse(app::unauthenticated(request)));
  }

  Response refuse(Request& request, const Invalid& invalid) const {
    Problem problem{Status::Unauthorized, std::string(invalid.why), {}, {}};
    for (const auto& scheme : schemes) {
      std::string text = scheme->challenge(realm);
      if (text.empty()) continue;
      if (scheme.get() == invalid.scheme && scheme->has_error_codes()) {
        text.append(", error=\"invalid_token\", error_description=\"").append(invalid.why).append("\"");
      }
      problem.fields.add("WWW-Authenticate", text);
    }
    if (problem.fields.empty()) problem.status = Status::Forbidden;
    return request.exchange().refuse(problem);
  }

  std::vector<std::string> challenges_;
};

Authenticator::Authenticator() : schemes_(base::make_box<SchemeList>()) {}

void Authenticator::add(base::Box<AuthenticationScheme> scheme) {
  schemes_->schemes.push_back(std::move(scheme));
  schemes_->prepare();
}

void Authenticator::set_realm(std::string realm) {
  const auto fits = [](char c) { return c >= ' ' && c < '\x7F' && c != '"' && c != '\\'; };
  if (!std::ranges::all_of(realm, fits)) {
    throw SetupError("Authentication: a realm is of printable ASCII characters without '\"' and '\\'");
  }
  schemes_->realm = '"' + realm + '"';
  schemes_->prepare();
}

void Authenticator::set_optional() {
  schemes_->optional = true;
}

Reply Authenticator::run(Request& request, Next next, const app::IdentityType& type) const {
  if (app::known_identity(request, &type) != nullptr) return next();
  return schemes_->run(request, next);
}

bool Authenticator::may_suspend() const noexcept {
  return std::ranges::any_of(schemes_->schemes, [](const auto& scheme) { return scheme->may_suspend(); });
}

std::span<const app::Need> Authenticator::needs() const noexcept {
  const auto uses = [](const auto& scheme) { return scheme->needs_passwords(); };
  if (!std::ranges::any_of(schemes_->schemes, uses)) return {};
  return passwords_need;
}

void Authenticator::describe(Operation& operation) const {
  for (const auto& scheme : schemes_->schemes) {
    const auto [name, json] = scheme->security();
    if (!name.empty()) operation.authentication(name, json);
  }
  if (schemes_->optional) {
    operation.authentication_is_optional();
  } else {
    operation.needs_identity({});
  }
  operation.problem(Status::Unauthorized, "The credentials are missing or invalid");
}

std::optional<Response> refusal_without_identity(Request& request, const app::IdentityType* type) {
  if (app::known_identity(request, type) != nullptr) return std::nullopt;
  return request.exchange().refuse(app::unauthenticated(request));
}

Response forbidden(Request& request) {
  return request.exchange().refuse(Problem{Status::Forbidden, "this user may not do this", {}, {}});
}

void describe_requirement(Operation& operation) {
  operation.needs_identity({});
  operation.problem(Status::Unauthorized, "The credentials are missing or invalid");
  operation.problem(Status::Forbidden, "This user may not do this");
}

}  // namespace web

Requirement::Requirement(app::Grant grant, std::vector<std::string> names) : grant_(grant), names_(std::move(names)) {
  const auto is_scope_char = [](char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '\\'; };
  for (const std::string& name : names_) {
    if (name.empty() || (grant == app::Grant::Scope && !std::ranges::all_of(name, is_scope_char))) {
      throw SetupError("'" + name + "' is no name of a role or scope (RFC 6749, section 3.3)");
    }
    challenge_.append(challenge_.empty() ? "Bearer error=\"insufficient_scope\", scope=\"" : " ").append(name);
  }
  challenge_ += '"';
}

Reply Requirement::operator()(Request& request, Next next) const {
  if (auto refused = web::refusal_without_identity(request, nullptr)) return std::move(*refused);
  const app::KnownIdentity& known = *app::known_identity(request, nullptr);
  const auto has_role = [&known](const std::string& name) { return known.type->has_role(known.user, name); };
  const auto has_scope = [&known](const std::string& name) { return known.type->has_scope(known.user, name); };
  switch (grant_) {
    case app::Grant::None: return next();
    case app::Grant::Role:
      if (known.type->has_role != nullptr && std::ranges::any_of(names_, has_role)) return next();
      return web::forbidden(request);
    case app::Grant::Scope: break;
  }
  if (known.type->has_scope != nullptr && std::ranges::all_of(names_, has_scope)) return next();
  Response response = web::forbidden(request);
  if (known.scheme == "Bearer") response.set("WWW-Authenticate", challenge_);
  return response;
}

void Requirement::describe(Operation& operation) const {
  operation.needs_identity(names_);
  operation.problem(Status::Unauthorized, "The credentials are missing or invalid");
  if (grant_ != app::Grant::None) operation.problem(Status::Forbidden, "This user may not do this");
}

Requirement require_identity() {
  return {app::Grant::None, {}};
}
Requirement require_role(std::string role) {
  return {app::Grant::Role, {std::move(role)}};
}
Requirement require_role(std::initializer_list<std::string> roles) {
  return {app::Grant::Role, roles};
}
Requirement require_scope(std::string scope) {
  return {app::Grant::Scope, {std::move(scope)}};
}
Requirement require_scope(std::initializer_list<std::string> scopes) {
  return {app::Grant::Scope, scopes};
}

}  // namespace tern
