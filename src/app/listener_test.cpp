// Routes of a listener: a table of their own inside one app.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

std::string named(Request& request) {
  return "at '" + std::string(request.listener()) + "'";
}

TEST(ListenerRoutes, are_seen_at_their_listener_and_nowhere_else) {
  App app;
  Group admin = app.listener("admin");
  app.get("/shared", [] { return "public"; });
  admin.get("/shared", [] { return "admin"; });
  app.get("/public", named);
  admin.get("/metrics", named);
  admin.group("/users").get("/{id}", [](int id) { return id; });
  Client client(app);
  const auto ask = [&client](const char* listener, const char* path) {
    const TestResponse answer = client.at_listener(listener).get(path);
    return answer.status == 200 ? answer.body : std::to_string(answer.status);
  };
  EXPECT_EQ(ask("admin", "/shared"), "admin");
  EXPECT_EQ(ask("", "/shared"), "public");
  EXPECT_EQ(ask("admin", "/metrics"), "at 'admin'");
  EXPECT_EQ(ask("", "/metrics"), "404");
  EXPECT_EQ(ask("admin", "/public"), "404");
  EXPECT_EQ(ask("", "/public"), "at ''");
  EXPECT_EQ(ask("admin", "/users/7"), "7");
  EXPECT_EQ(ask("", "/users/7"), "404");
  // A listener that has a name and no routes of its own serves those of the app.
  EXPECT_EQ(ask("internal", "/public"), "at 'internal'");
  EXPECT_EQ(client.send({.target = "/metrics", .listener = "admin"}).body, "at 'admin'");
}

TEST(ListenerRoutes, have_their_own_methods_slashes_and_options) {
  App app;
  app.get("/a", named);
  app.on("TASTE", "/a", named);
  app.listener("admin").post("/a", named);
  app.listener("admin").get("/b/", named);
  Client client(app);
  EXPECT_EQ(client.options("*").field("allow"), "GET, HEAD, OPTIONS, TASTE");
  EXPECT_EQ(client.get("/b").status, 404);
  client.at_listener("admin");
  EXPECT_EQ(client.options("*").field("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(client.get("/a").status, 405);
  EXPECT_EQ(client.get("/a").field("allow"), "POST, OPTIONS");
  EXPECT_EQ(client.send({.method = "TASTE", .target = "/a"}).status, 501);
  EXPECT_EQ(client.get("/b").field("location"), "/b/");
}

TEST(ListenerRoutes, have_the_middleware_and_states_of_the_app_and_fallbacks_of_their_own) {
  App app;
  const auto marking = [](const char* name) {
    return [name](Request&, Next next) {
      return next().then([name](Response response) { return std::move(response.add("x-mark", name)); });
    };
  };
  app.state(std::string("state")).use(marking("app"));
  app.fallback([] { return "fallback of the app"; });
  app.get("/", [] { return "public"; });
  Group admin = app.listener("admin").use(marking("admin")).limits({.max_body_bytes = 2});
  admin.post("/", [](State<std::string> state, Body body) { return *state + std::string(body); });
  Client client(app);
  const auto marks = [](const TestResponse& answer) {
    std::string all;
    for (const auto& [name, value] : answer.fields) all += name == "x-mark" ? value + " " : "";
    return all;
  };
  EXPECT_EQ(marks(client.get("/")), "app ");
  client.at_listener("admin");
  EXPECT_EQ(marks(client.get("/x")), "admin app ");
  EXPECT_EQ(client.get("/x").status, 404);
  EXPECT_EQ(client.post("/", "ab").body, "stateab");
  EXPECT_EQ(client.post("/", "abc").status, 413);
  EXPECT_EQ(client.at_listener("").get("/x").body, "fallback of the app");

  App other;
  other.listener("admin").fallback(named);
  Client second(other);
  EXPECT_EQ(second.at_listener("admin").get("/x").body, "at 'admin'");
  EXPECT_EQ(second.at_listener("").get("/x").status, 404);
}

TEST(ListenerRoutes, are_listed_with_their_listener_and_named_once) {
  App app;
  app.get("/a", named).name("same");
  app.listener("admin").get("/a", named);
  const auto routes = app.routes();
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes[0].listener, "");
  EXPECT_EQ(routes[1].listener, "admin");
  app.listener("admin").get("/b", named).name("same");
  EXPECT_THROW(Client{app}, SetupError);
}

TEST(ListenerRoutes, of_a_mounted_app_and_without_a_name_are_mistakes) {
  App inner;
  inner.listener("admin").get("/", named);
  App app;
  app.mount("/inner", std::move(inner));
  app.listener("").get("/", named);
  try {
    app.service();
    FAIL() << "it started";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a mounted app has no routes of listeners"));
    EXPECT_THAT(error.what(), HasSubstr("the name of a listener is not empty"));
  }
}

}  // namespace
}  // namespace tern
