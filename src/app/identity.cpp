// Identities of requests, and the check at the start that each one which is needed is given.
#include <tern/app/identity.hpp>

#include "app/core.hpp"

#include <algorithm>
#include <string>

namespace tern::app {
namespace {

struct Challenges {
  std::span<const std::string> texts;
  const Challenges* earlier;
};

std::string fault_of(const IdentityNeed& need, std::span<const IdentityType* const> given) {
  const auto fits = [&need](const IdentityType* each) { return need.type == nullptr || need.type == each; };
  const auto found = std::find_if(given.rbegin(), given.rend(), fits);  // the innermost counts
  if (found == given.rend()) {
    const std::string what = need.type == nullptr ? "an identity" : "an Identity<" + std::string(need.type->name) + ">";
    return " needs " + what +
           ", but nothing in front of it gives one: add an authenticator to the route, its group or " +
           "the app, such as use(tern::Authentication<User>().bearer(…))";
  }
  const IdentityType& type = **found;
  if (need.grant == Grant::Role && type.has_role == nullptr) {
    return " needs a role, but " + std::string(type.name) + " has no member roles, role or has_role()";
  }
  if (need.grant == Grant::Scope && type.has_scope == nullptr) {
    return " needs a scope, but " + std::string(type.name) + " has no member scopes, scope or has_scope()";
  }
  return {};
}

// Checks each of the list against those in front of it, and adds what it gives.
void check_needs_of(const std::deque<MiddlewareBox>& list, std::string_view title,
                    std::vector<const IdentityType*>& given, Mistakes& mistakes) {
  for (const MiddlewareBox& middleware : list) {
    if (middleware.identity_need.needed) {
      const std::string fault = fault_of(middleware.identity_need, given);
      if (!fault.empty()) mistakes.add(middleware.place, std::string(title) + fault);
    }
    for (const Need& need : middleware.needs) {
      if (need.kind != Need::Kind::Identity) continue;
      const std::string fault = fault_of({true, static_cast<const IdentityType*>(need.key), Grant::None}, given);
      if (!fault.empty()) mistakes.add(middleware.place, std::string(title) + fault);
    }
    if (middleware.identifies != nullptr) given.push_back(middleware.identifies);
  }
}

void check_endpoint(const Endpoint& endpoint, const std::string& title, const std::source_location& place,
                    std::span<const IdentityType* const> given, Mistakes& mistakes) {
  for (const Need& need : endpoint.needs) {
    if (need.kind != Need::Kind::Identity) continue;
    const std::string fault = fault_of({true, static_cast<const IdentityType*>(need.key), Grant::None}, given);
    if (!fault.empty()) mistakes.add(place, title + fault);
  }
}

}  // namespace

// What the middleware of a group and those around it gives, the outermost first.
std::vector<const IdentityType*> Core::identities_of(std::size_t index) const {
  std::vector<const IdentityType*> given;
  if (index != 0) given = identities_of(groups_[index].parent);
  for (const MiddlewareBox& middleware : groups_[index].middleware) {
    if (middleware.identifies != nullptr) given.push_back(middleware.identifies);
  }
  return given;
}

void Core::check_identities(Mistakes& mistakes) const {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const GroupEntry& group = groups_[i];
    auto given = i == 0 ? std::vector<const IdentityType*>() : identities_of(group.parent);
    check_needs_of(group.middleware, group.prefix.empty() ? "middleware" : "middleware of '" + group.prefix + "'",
                   given, mistakes);
    if (group.fallback_endpoint) {
      check_endpoint(*group.fallback_endpoint, "a fallback", group.fallback_place, given, mistakes);
    }
  }
  for (const RouteEntry& route : routes_) {
    auto given = identities_of(route.group);
    check_needs_of(route.middleware, "middleware of " + title(route), given, mistakes);
    check_endpoint(route.endpoint, title(route), route.place, given, mistakes);
  }
}

void add_identity(Request& request, const IdentityType& type, const void* user, std::string_view scheme) {
  const KnownIdentity* earlier = request.find<KnownIdentity>();
  request.put(KnownIdentity{&type, user, scheme, earlier});
}

const KnownIdentity* known_identity(const Request& request, const IdentityType* type) noexcept {
  const KnownIdentity* known = request.find<KnownIdentity>();
  while (known != nullptr && type != nullptr && known->type != type) known = known->earlier;
  return known;
}

void offer_challenges(Request& request, std::span<const std::string> challenges) {
  const Challenges* earlier = request.find<Challenges>();
  request.put(Challenges{challenges, earlier});
}

Problem unauthenticated(const Request& request) {
  Problem problem{Status::Forbidden, "this needs authentication", {}, {}};
  for (const Challenges* each = request.find<Challenges>(); each != nullptr; each = each->earlier) {
    for (const std::string& text : each->texts) problem.fields.add("WWW-Authenticate", text);
  }
  if (!problem.fields.empty()) problem.status = Status::Unauthorized;
  return problem;
}

}  // namespace tern::app
