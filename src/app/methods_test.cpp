// QUERY and extension methods.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using testing::Client;
using testing::TestResponse;

TEST(Methods, of_any_token_have_routes) {
  App app;
  app.on("BREW", "/pot/{n}", [](const Request& request, int n) {
    return std::string(request.method_name()) + " " + std::to_string(n) + " " + std::string(request.body());
  });
  app.on("UNBREW", "/pot/{n}", [](const Request& request, int) { return std::string(request.method_name()); });
  app.group("/g").on("brew", "/x", [] { return "lower case"; });
  app.route("/chain").on("M-SEARCH", [] { return "found"; }).get([] { return "got"; });
  Client client(app);
  EXPECT_EQ(client.send({"BREW", "/pot/7", {}, "tea"}).body, "BREW 7 tea");
  EXPECT_EQ(client.send({"UNBREW", "/pot/7"}).body, "UNBREW");
  EXPECT_EQ(client.send({"brew", "/g/x"}).body, "lower case");
  EXPECT_EQ(client.send({"M-SEARCH", "/chain"}).body, "found");
}

TEST(Methods, of_no_route_are_not_implemented_and_of_others_not_allowed) {
  App app;
  app.get("/cache", [] { return "cached"; });
  app.on("BREW", "/cache", [] { return "tea"; });
  app.on("STEEP", "/pot", [] { return "tea"; });
  Client client(app);
  EXPECT_EQ(client.send({"TASTE", "/cache"}).status, 501);
  EXPECT_EQ(client.send({"TASTE", "/none"}).status, 501);
  EXPECT_EQ(client.send({"get", "/cache"}).status, 501);
  EXPECT_EQ(client.send({"STEEP", "/none"}).status, 404);
  const TestResponse refused = client.send({"STEEP", "/cache"});
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.field("allow"), "GET, HEAD, OPTIONS, BREW");
  EXPECT_EQ(client.options("/pot").field("allow"), "OPTIONS, STEEP");
  EXPECT_EQ(client.options("*").field("allow"), "GET, HEAD, OPTIONS, BREW, STEEP");
}

TEST(Methods, are_in_the_list_of_routes) {
  App app;
  app.on("BREW", "/pot", [] { return "tea"; }).name("brew");
  app.query("/search", [] { return "found"; });
  app.on("DELETE", "/pot", [] { return "gone"; });
  const auto routes = app.routes();
  ASSERT_EQ(routes.size(), 3U);
  EXPECT_EQ(routes[0].method, Method::Extension);
  EXPECT_EQ(routes[0].method_name(), "BREW");
  EXPECT_EQ(routes[1].method_name(), "QUERY");
  EXPECT_EQ(routes[2].method, Method::Delete);
}

TEST(Methods, that_are_no_tokens_or_too_many_are_mistakes) {
  const auto mistake = [](const auto& registered) -> std::string {
    App app;
    registered(app);
    try {
      (void)app.service();
    } catch (const SetupError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(mistake([](App& app) { app.on("A B", "/", [] { return ""; }); }),
              ::testing::HasSubstr("method 'A B' is not a token"));
  EXPECT_THAT(mistake([](App& app) { app.on("", "/", [] { return ""; }); }),
              ::testing::HasSubstr("method '' is not a token"));
  EXPECT_THAT(mistake([](App& app) {
                app.on("BREW", "/", [] { return ""; });
                app.on("BREW", "/", [] { return ""; });
              }),
              ::testing::HasSubstr("BREW '/' conflicts with '/'"));
  EXPECT_THAT(mistake([](App& app) {
                for (int i = 0; i < 43; ++i) app.on("M" + std::to_string(i), "/", [] { return ""; });
              }),
              ::testing::HasSubstr("method 'M42': an app has at most 42 extension methods"));
}

TEST(Methods, query_has_content_of_a_type) {
  App app;
  app.query("/search", [](Body body) { return "found " + std::string(body.bytes); });
  Client client(app);
  EXPECT_EQ(client.send({Method::Query, "/search", {{"content-type", "text/plain"}}, "x"}).body, "found x");
  EXPECT_EQ(client.send({"QUERY", "/search", {}, "x"}).status, 400);
  EXPECT_EQ(client.send({Method::Post, "/search", {}, "x"}).field("allow"), "OPTIONS, QUERY");
}

TEST(Methods, are_redirected_to_the_other_slash) {
  App app;
  app.on("BREW", "/pot", [] { return "tea"; });
  EXPECT_EQ(Client(app).send({"BREW", "/pot/"}).field("location"), "/pot");
}

}  // namespace
}  // namespace tern
