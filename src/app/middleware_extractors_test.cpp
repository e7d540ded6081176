// Middleware with parameters besides Request&: states and other extractors of the head.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;

struct Limit {
  int calls = 0;
};

TEST(MiddlewareExtractors, are_taken_like_those_of_a_handler) {
  App app;
  app.state(std::string("secret"));
  app.use([](State<std::string> secret, std::optional<Header<"Authorization">> token, Next next) -> Reply {
    if (!token || **token != *secret) return Response(Status::Unauthorized);
    return next();
  });
  app.get("/x", [] { return "x"; });
  Client client(app);
  EXPECT_EQ(client.get("/x").status, 401);
  EXPECT_EQ(client.with("authorization", "secret").get("/x").body, "x");
}

TEST(MiddlewareExtractors, answer_for_it_when_they_fail) {
  App app;
  bool called = false;
  app.use([&called](Header<"X-Version", int> version, Next next) {
    called = true;
    static_cast<void>(*version);
    return next();
  });
  app.get("/x", [] { return "x"; });
  Client client(app);
  EXPECT_EQ(client.get("/x").status, 400);
  EXPECT_EQ(client.get("/missing").status, 400);
  EXPECT_FALSE(called);
  EXPECT_EQ(client.with("x-version", "2").get("/x").body, "x");
}

TEST(MiddlewareExtractors, outlive_the_waits_of_a_coroutine) {
  App app;
  app.per_loop([] { return Limit(); });
  app.use([](Next next, const QueryParam<"name", std::string>& name, Request& request,
             PerLoop<Limit> limit) -> Task<Response> {
    ++limit->calls;
    co_await sleep_for(Milliseconds(1));
    Response response = co_await next();
    response.set("x-name", *name + std::to_string(limit->calls) + std::string(request.path()));
    co_return response;
  });
  app.get("/x", [] { return "x"; });
  Client client(app);
  EXPECT_EQ(client.get("/x?name=a-name-that-no-small-string-holds").field("x-name"),
            "a-name-that-no-small-string-holds1/x");
}

TEST(MiddlewareExtractors, of_a_state_that_is_missing_are_a_mistake_with_a_place) {
  App app;
  app.get("/x", [] { return "x"; }).use([](State<int>, Next next) { return next(); });
  app.group("/g").use([](PerLoop<Limit>, Next next) { return next(); });
  try {
    app.service();
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("middleware_extractors_test.cpp"));
    EXPECT_THAT(error.what(), HasSubstr("middleware of GET '/x' takes tern::State<int>"));
    EXPECT_THAT(error.what(), HasSubstr("middleware takes tern::PerLoop<"));
  }
}

}  // namespace
}  // namespace tern
