// Routes of a host: a table that precedes the app's.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

TestResponse ask(Client& client, const std::string& host, const std::string& target,
                 const std::string& method = "GET") {
  return client.send({.method = method, .target = target, .fields = {{"host", host}}});
}

std::string body(Client& client, const std::string& host, const std::string& target) {
  const TestResponse answer = ask(client, host, target);
  return answer.status == 200 ? answer.body : std::to_string(answer.status);
}

std::string mistakes(App& app) {
  try {
    static_cast<void>(app.service());
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

TEST(HostRoutes, precede_those_of_the_app_at_their_host_only) {
  App app;
  app.get("/", [] { return "site"; });
  app.get("/health", [] { return "ok"; });
  Group api = app.host("api.example.org");
  api.get("/", [] { return "api"; });
  api.get("/books/{id}", [](int id) { return id; });
  Client client(app);
  EXPECT_EQ(body(client, "example.org", "/"), "site");
  EXPECT_EQ(body(client, "api.example.org", "/"), "api");
  EXPECT_EQ(body(client, "api.example.org", "/books/7"), "7");
  EXPECT_EQ(body(client, "example.org", "/books/7"), "404");
  EXPECT_EQ(body(client, "api.example.org", "/health"), "ok");
  EXPECT_EQ(body(client, "api.example.org", "/nothing"), "404");
  EXPECT_EQ(body(client, "xapi.example.org", "/"), "site");
}

TEST(HostRoutes, are_found_whatever_the_case_the_port_and_the_last_dot) {
  App app;
  app.get("/", [] { return "site"; });
  app.host("API.example.org").get("/", [] { return "api"; });
  app.host("[::1]").get("/", [] { return "six"; });
  app.host("192.0.2.1").get("/", [] { return "four"; });
  Client client(app);
  for (const char* host : {"api.example.org", "Api.Example.ORG:8443", "api.example.org.", "api.example.org.:80"}) {
    EXPECT_EQ(body(client, host, "/"), "api") << host;
  }
  EXPECT_EQ(body(client, "[::1]:8080", "/"), "six");
  EXPECT_EQ(body(client, "[::1]", "/"), "six");
  EXPECT_EQ(body(client, "[::2]", "/"), "site");
  EXPECT_EQ(body(client, "192.0.2.1:80", "/"), "four");
  EXPECT_EQ(client.send({.target = "http://api.example.org/", .fields = {{"host", "example.org"}}}).body, "api");
}

TEST(HostRoutes, of_a_name_precede_wildcards_and_longer_wildcards_shorter_ones) {
  for (const bool reversed : {false, true}) {
    App app;
    const auto add = [&app](const char* host) { app.host(host).get("/", [host] { return std::string(host); }); };
    std::vector<const char*> hosts = {"*.org", "*.example.org", "www.example.org", "*.eu.example.org"};
    if (reversed) std::ranges::reverse(hosts);
    for (const char* host : hosts) add(host);
    Client client(app);
    EXPECT_EQ(body(client, "www.example.org", "/"), "www.example.org");
    EXPECT_EQ(body(client, "a.example.org", "/"), "*.example.org");
    EXPECT_EQ(body(client, "a.b.example.org", "/"), "*.example.org");
    EXPECT_EQ(body(client, "a.eu.example.org", "/"), "*.eu.example.org");
    EXPECT_EQ(body(client, "example.org", "/"), "*.org");
    EXPECT_EQ(body(client, "org", "/"), "404");
  }
}

TEST(HostRoutes, offer_their_methods_beside_those_of_the_app) {
  App app;
  app.get("/a", [] { return "get"; });
  app.on("TASTE", "/a", [] { return "taste"; });
  Group api = app.host("api");
  api.on("SMELL", "/a", [] { return "smell"; });
  api.put("/a", [] { return "put"; });
  Client client(app);
  EXPECT_EQ(ask(client, "api", "/a", "PUT").body, "put");
  EXPECT_EQ(ask(client, "api", "/a").body, "get");
  EXPECT_EQ(ask(client, "api", "/a", "SMELL").body, "smell");
  EXPECT_EQ(ask(client, "api", "/a", "TASTE").body, "taste");
  EXPECT_EQ(ask(client, "api", "/a", "HEAR").status, 501);
  EXPECT_EQ(ask(client, "www", "/a", "SMELL").status, 501);
  const TestResponse refused = ask(client, "api", "/a", "DELETE");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.field("allow"), "PUT, OPTIONS, SMELL, GET, HEAD, TASTE");
  EXPECT_EQ(ask(client, "www", "/a", "DELETE").field("allow"), "GET, HEAD, OPTIONS, TASTE");
  EXPECT_EQ(ask(client, "api", "*", "OPTIONS").field("allow"), "PUT, OPTIONS, SMELL, GET, HEAD, TASTE");
  EXPECT_EQ(ask(client, "api", "/a/").field("location"), "/a");
}

TEST(HostRoutes, have_a_fallback_of_their_own_or_that_of_the_app) {
  App app;
  app.fallback([] { return "app"; });
  app.host("own").fallback([] { return "own"; });
  app.host("none").get("/", [] { return "none"; });
  Client client(app);
  EXPECT_EQ(body(client, "own", "/x"), "own");
  EXPECT_EQ(body(client, "none", "/x"), "app");
  EXPECT_EQ(body(client, "other", "/x"), "app");
}

TEST(HostRoutes, have_middleware_that_does_not_run_elsewhere) {
  App app;
  app.get("/shared", [] { return "shared"; });
  Group api = app.host("api").use([](Request&, Next next) {
    return next().then([](Response response) { return std::move(response.add("x-api", "1")); });
  });
  api.get("/own", [] { return "own"; });
  Client client(app);
  EXPECT_TRUE(ask(client, "api", "/own").has("x-api"));
  EXPECT_TRUE(ask(client, "api", "/missing").has("x-api"));
  EXPECT_FALSE(ask(client, "api", "/shared").has("x-api"));
  EXPECT_FALSE(ask(client, "www", "/missing").has("x-api"));
}

TEST(HostRoutes, may_be_a_mounted_app_and_do_not_mix_with_listeners) {
  App inner;
  inner.get("/books", [] { return "books"; });
  App app;
  app.host("api").mount("/", std::move(inner));
  app.listener("admin").get("/", [] { return "admin"; });
  Client client(app);
  EXPECT_EQ(body(client, "api", "/books"), "books");
  EXPECT_EQ(body(client, "www", "/books"), "404");
  client.at_listener("admin");
  EXPECT_EQ(body(client, "api", "/"), "admin");
  EXPECT_EQ(body(client, "api", "/books"), "404");
}

TEST(HostRoutes, are_listed_with_their_host) {
  App app;
  app.host("Api").get("/books", [] { return 1; });
  app.host("api").get("/more", [] { return 1; });
  ASSERT_EQ(app.routes().size(), 2U);
  EXPECT_EQ(app.routes()[0].host, "api");
  EXPECT_EQ(app.routes()[1].host, "api");
}

TEST(HostRoutes, of_a_malformed_host_fail_the_start) {
  for (const char* host : {"", "a b", "*", "a.*.org", "*.", "example.org:80", "example.org.", "http://example.org"}) {
    App app;
    app.host(host).get("/", [] { return 1; });
    EXPECT_THAT(mistakes(app), HasSubstr("host('" + std::string(host) + "'): ")) << host;
  }
  App app;
  App inner;
  inner.host("api").get("/", [] { return 1; });
  app.mount("/inner", std::move(inner));
  EXPECT_THAT(mistakes(app), HasSubstr("a mounted app has no routes of hosts"));
}

TEST(HostRoutes, that_are_the_same_conflict) {
  App app;
  app.host("api").get("/{a}", [](int a) { return a; });
  app.host("API").get("/{b}", [](int b) { return b; });
  EXPECT_THAT(mistakes(app), HasSubstr("GET '/{b}' conflicts with '/{a}'"));
}

}  // namespace
}  // namespace tern
