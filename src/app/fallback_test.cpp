// Fallback handlers: what a path without a route is answered with.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;

TEST(Fallback, serves_every_path_and_method_without_a_route) {
  App app;
  app.get("/known", [] { return "known"; });
  app.fallback([](Request& request) {
    return "fallback " + std::string(request.path()) + std::string(request.body()) + std::string(request.route());
  });
  Client client(app);
  EXPECT_EQ(client.get("/known").body, "known");
  EXPECT_EQ(client.get("/unknown/path").body, "fallback /unknown/path");
  EXPECT_EQ(client.post("/unknown", "!").body, "fallback /unknown!");
  EXPECT_EQ(client.post("/known", "").status, 405);
  EXPECT_EQ(client.get("/known/").status, 308);
  EXPECT_EQ(client.get("/%zz").status, 400);
}

TEST(Fallback, of_the_innermost_group_counts_and_middleware_runs_around_it) {
  App app;
  const auto marking = [](Request&, Next next) {
    return next().then([](Response response) { return std::move(response.add("x-mark", "1")); });
  };
  app.fallback([] { return "outer"; });
  Group api = app.group("/api").use(marking);
  api.group("/v1").fallback([] { return with_status(Status::NotFound, "no such resource"); });
  api.group("/v2").get("/x", [] { return "x"; });
  Client client(app);
  EXPECT_EQ(client.get("/x").body, "outer");
  EXPECT_FALSE(client.get("/x").has("x-mark"));
  EXPECT_EQ(client.get("/api/v2/y").body, "outer");
  EXPECT_TRUE(client.get("/api/v2/y").has("x-mark"));
  EXPECT_EQ(client.get("/api/v1/y").status, 404);
  EXPECT_EQ(client.get("/api/v1/y").body, "no such resource");
}

TEST(Fallback, takes_extractors_and_has_the_limits_of_its_group) {
  App app;
  app.state(std::string("state"));
  Group group = app.group("/g").limits({.max_body_bytes = 2});
  group.fallback(
      [](State<std::string> state, Body body) -> Task<std::string> { co_return *state + std::string(body); });
  Client client(app);
  EXPECT_EQ(client.post("/g/x", "ab").body, "stateab");
  EXPECT_EQ(client.post("/g/x", "abc").status, 413);
}

TEST(Fallback, without_its_state_or_given_twice_is_a_mistake) {
  App app;
  app.fallback([](State<int> state) { return *state; });
  app.fallback([] { return "x"; });
  try {
    app.service();
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("fallback_test.cpp"));
    EXPECT_THAT(error.what(), HasSubstr("has a fallback already"));
    EXPECT_THAT(error.what(), HasSubstr("a fallback takes tern::State<int>"));
  }
}

}  // namespace
}  // namespace tern
