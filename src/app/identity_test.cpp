// Identities as parameters, what gives them, and what the start checks.
#include <tern/app/identity.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;

enum class AccountRole { Reader, Admin };

struct Account {
  std::string name;
  std::vector<AccountRole> roles = {};
  std::string scope = {};
};

struct Machine {
  int number = 0;
};

// Takes the name in the field "x-account" for granted, as a session of a program would.
struct NamedAccount {
  using Identifies = Account;
  Reply operator()(Request& request, Next next) const {
    static const std::vector<std::string> challenges = {"Named realm=\"test\""};
    app::offer_challenges(request, challenges);
    if (const auto name = request.field("x-account")) identify(request, Account{std::string(*name)}, "named");
    return next();
  }
};

struct NeedsAdmin {
  app::IdentityNeed identity_need() const { return {true, nullptr, app::Grant::Role}; }
  Reply operator()(Request&, Next next) const { return next(); }
};

std::string setup_error_of(App& app) {
  try {
    const Client client(app);
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

TEST(Identity, is_a_parameter_whatever_gives_it) {
  App app;
  app.use(NamedAccount());
  app.get("/me", [](Identity<Account> me) { return me->name + " by " + std::string(me.scheme()); });
  Client client(app);
  EXPECT_EQ(client.send({.target = "/me", .fields = {{"x-account", "anna"}}}).body, "anna by named");
  const auto refused = client.get("/me");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.field("www-authenticate"), "Named realm=\"test\"");
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
}

TEST(Identity, may_be_optional) {
  App app;
  app.use(NamedAccount());
  app.get("/", [](std::optional<Identity<Account>> me) { return me ? (*me)->name : "anonymous"; });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "anonymous");
  EXPECT_EQ(client.send({.target = "/", .fields = {{"x-account", "anna"}}}).body, "anna");
}

TEST(Identity, lives_as_long_as_a_handler_that_waits) {
  App app;
  app.use(NamedAccount());
  app.get("/later", [](Identity<Account> me) -> Task<std::string> {
    co_await sleep_for(Milliseconds(10));
    co_return me->name;
  });
  Client client(app);
  EXPECT_EQ(client.send({.target = "/later", .fields = {{"x-account", "anna"}}}).body, "anna");
}

TEST(Identity, of_several_types_stand_beside_each_other) {
  App app;
  app.use(NamedAccount());
  app.get("/", [](Identity<Account> me, Request& request) {
    identify(request, Machine{7}, "inner");
    return find_identity<Account>(request) == &*me && find_identity<Machine>(request)->number == 7;
  });
  Client client(app);
  EXPECT_EQ(client.send({.target = "/", .fields = {{"x-account", "anna"}}}).body, "true");
}

TEST(Identity, is_given_by_the_test_client_without_a_login) {
  App app;
  app.use(NamedAccount());
  app.get("/me", [](Identity<Account> me) { return me->name; });
  Client client(app);
  client.as(Account{"berta"});
  EXPECT_EQ(client.get("/me").body, "berta");
  EXPECT_EQ(client.get("/me").body, "berta");
  client.anonymous();
  EXPECT_EQ(client.get("/me").status, 401);
}

TEST(Identity, that_nothing_gives_fails_at_the_start_and_names_the_route) {
  App app;
  app.get("/me", [](Identity<Account> me) { return me->name; });
  EXPECT_THAT(setup_error_of(app), HasSubstr("GET '/me' needs an Identity<"));
  EXPECT_THAT(setup_error_of(app), HasSubstr("identity_test.cpp"));
}

TEST(Identity, that_is_optional_is_checked_too) {
  App app;
  app.get("/me", [](std::optional<Identity<Account>> me) { return me.has_value(); });
  EXPECT_THAT(setup_error_of(app), HasSubstr("GET '/me' needs an Identity<"));
}

TEST(Identity, of_another_type_is_none) {
  App app;
  app.use(NamedAccount());
  app.get("/me", [](Identity<Machine> me) { return me->number; });
  EXPECT_THAT(setup_error_of(app), HasSubstr("Machine>"));
}

TEST(Identity, is_given_by_the_route_a_group_or_the_app_that_mounts) {
  App inner;
  inner.get("/me", [](Identity<Account> me) { return me->name; });
  App app;
  app.mount("/inner", std::move(inner)).use(NamedAccount());
  app.group("/group").use(NamedAccount()).get("/me", [](Identity<Account> me) { return me->name; });
  app.get("/route", [](Identity<Account> me) { return me->name; }).use(NamedAccount());
  app.route("/chain").get([](Identity<Account> me) { return me->name; }).use(NamedAccount());
  EXPECT_EQ(setup_error_of(app), "");
  Client client(app);
  client.with("x-account", "anna");
  for (const std::string_view path : {"/inner/me", "/group/me", "/route", "/chain"}) {
    EXPECT_EQ(client.get(path).body, "anna") << path;
  }
}

TEST(Identity, of_a_fallback_and_of_middleware_are_checked) {
  App app;
  app.fallback([](Identity<Account> me) { return me->name; });
  EXPECT_THAT(setup_error_of(app), HasSubstr("a fallback needs an Identity<"));
  App other;
  other.get("/", [] { return ""; }).use([](Identity<Account>, Next next) -> Reply { return next(); });
  EXPECT_THAT(setup_error_of(other), HasSubstr("middleware of GET '/' needs an Identity<"));
}

TEST(Identity, is_needed_in_front_of_a_requirement) {
  App behind;
  behind.use(NeedsAdmin());
  behind.use(NamedAccount());
  EXPECT_THAT(setup_error_of(behind), HasSubstr("needs an identity, but nothing in front of it gives one"));
  App before;
  before.use(NamedAccount());
  before.use(NeedsAdmin());
  EXPECT_EQ(setup_error_of(before), "");
}

TEST(Identity, reads_roles_and_scopes_of_its_user) {
  const Account account{"anna", {AccountRole::Admin}, "books:read books:write"};
  const app::IdentityType& type = app::identity_type<Account>;
  EXPECT_TRUE(type.has_role(&account, "Admin"));
  EXPECT_FALSE(type.has_role(&account, "Reader"));
  EXPECT_FALSE(type.has_role(&account, "admin"));
  EXPECT_TRUE(type.has_scope(&account, "books:write"));
  EXPECT_TRUE(type.has_scope(&account, "books:read"));
  EXPECT_FALSE(type.has_scope(&account, "books"));
  EXPECT_FALSE(type.has_scope(&account, ""));
  EXPECT_EQ(app::identity_type<Machine>.has_role, nullptr);
}

}  // namespace
}  // namespace tern
