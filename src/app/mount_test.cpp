// Apps mounted in apps: whose states, middleware, errors and hooks are in effect.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Appends its name and the state that it sees, before and after what it is around.
auto tracing(std::string& trace, std::string name) {
  return [&trace, name](State<std::string> state, Next next) -> Task<Response> {
    trace += name + "<" + *state + " ";
    Response response = co_await next();
    trace += name + "> ";
    co_return response;
  };
}

App shop() {
  App app;
  app.state(std::string("inner"));
  app.get("/", [](State<std::string> state) { return *state; });
  app.get("/items/{id}", [](Request& request, int id) { return std::string(request.route()) + std::to_string(id); });
  app.get("/late", [](State<std::string> state) -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    co_return *state;
  });
  app.get("/throws", []() -> std::string { throw std::runtime_error("inner"); });
  app.get("/outer-error", []() -> std::string { throw 7; });
  return app;
}

TEST(Mount, serves_the_routes_of_an_app_below_a_prefix_with_its_own_states) {
  App app;
  app.state(std::string("outer"));
  app.get("/", [](State<std::string> state) { return *state; });
  app.mount("/shop", shop());
  Client client(app);
  EXPECT_EQ(client.get("/").body, "outer");
  EXPECT_EQ(client.get("/shop/").body, "inner");
  EXPECT_EQ(client.get("/shop").status, 308);
  EXPECT_EQ(client.get("/shop/items/7").body, "/shop/items/{id}7");
  EXPECT_EQ(client.get("/shop/late").body, "inner");
  EXPECT_EQ(client.get("/items/7").status, 404);
}

TEST(Mount, runs_the_middleware_of_each_app_with_the_states_of_that_app) {
  std::string trace;
  App inner = shop();
  inner.use(tracing(trace, "inner"));
  App app;
  app.state(std::string("outer"));
  app.use(tracing(trace, "app"));
  app.mount("/shop", std::move(inner)).use(tracing(trace, "around"));
  Client client(app);
  for (const char* path : {"/shop/", "/shop/late", "/shop/missing"}) {
    trace.clear();
    client.get(path);
    EXPECT_EQ(trace, "app<outer around<outer inner<inner inner> around> app> ") << path;
  }
}

TEST(Mount, answers_errors_by_the_app_that_has_them_then_by_the_one_around_it) {
  App inner = shop();
  inner.on_error([](const std::runtime_error&) { return with_status(Status::Conflict, "by the inner"); });
  App app;
  app.get("/throws", []() -> std::string { throw std::runtime_error("outer"); });
  app.on_error([](int) { return with_status(Status::Gone, "by the outer"); });
  app.mount("/shop", std::move(inner)).use([](Request& request, Next next) -> Reply {
    Reply reply = next();
    if (request.field("x-throw")) throw std::runtime_error("of the outer's middleware");
    return reply;
  });
  Client client(app);
  EXPECT_EQ(client.get("/shop/throws").body, "by the inner");
  EXPECT_EQ(client.get("/shop/outer-error").body, "by the outer");
  EXPECT_EQ(client.get("/throws").status, 500);
  client.with("x-throw", "1");
  EXPECT_EQ(client.get("/shop/").status, 500);
  EXPECT_EQ(client.get("/shop/late").status, 500);
}

TEST(Mount, renders_problems_as_the_mounted_app_says_or_as_the_outer_one) {
  App plain;
  App rendering;
  rendering.on_problem([](const Problem&) { return Response::text("inner problem"); });
  rendering.get("/x", [] { return Status::BadRequest; });
  App app;
  app.on_problem([](const Problem&) { return Response::text("outer problem"); });
  app.mount("/plain", std::move(plain));
  app.mount("/rendering", std::move(rendering));
  Client client(app);
  EXPECT_EQ(client.get("/plain/missing").body, "outer problem");
  EXPECT_EQ(client.get("/rendering/missing").body, "inner problem");
  EXPECT_EQ(client.get("/rendering/x").body, "inner problem");
  EXPECT_EQ(client.post("/rendering/x", "").body, "inner problem");
  EXPECT_EQ(client.get("/missing").body, "outer problem");
}

TEST(Mount, keeps_fallbacks_names_and_per_loop_states_apart) {
  App inner;
  inner.per_loop([] { return 7; });
  inner.get("/", [](PerLoop<int> value) { return ++*value; }).name("home");
  App with_fallback;
  with_fallback.fallback([] { return "inner"; });
  App app;
  app.fallback([] { return "outer"; });
  app.get("/", [] { return "x"; }).name("home");
  app.mount("/a", std::move(inner)).name("a");
  app.mount("/b", std::move(with_fallback));
  EXPECT_EQ(app.routes().back().name, "a.home");
  EXPECT_EQ(app.routes().back().pattern, "/a/");
  Client client(app);
  EXPECT_EQ(client.get("/a/").body, "8");
  EXPECT_EQ(client.get("/a/").body, "9");
  EXPECT_EQ(client.get("/a/missing").status, 404);
  EXPECT_EQ(client.get("/b/missing").body, "inner");
  EXPECT_EQ(client.get("/missing").body, "outer");
}

TEST(Mount, nests) {
  App innermost;
  innermost.state(3);
  innermost.get("/x", [](State<int> state) { return *state; });
  App inner;
  inner.state(2);
  inner.get("/x", [](State<int> state) { return *state; });
  inner.on_error([](double) { return "inner"; });
  innermost.get("/throws", []() -> std::string { throw 1.0; });
  inner.mount("/c", std::move(innermost));
  App app;
  app.mount("/b", std::move(inner));
  Client client(app);
  EXPECT_EQ(client.get("/b/x").body, "2");
  EXPECT_EQ(client.get("/b/c/x").body, "3");
  EXPECT_EQ(client.get("/b/c/throws").body, "inner");
}

TEST(Mount, reports_mistakes_at_the_start_of_the_outer_app) {
  App inner;
  inner.get("/x", [](State<int> state) { return *state; });
  inner.get("/x", [] { return "twice"; });
  App app;
  app.state(7);
  app.get("/shop/y", [] { return "x"; });
  App other;
  other.get("/y", [] { return "x"; });
  app.mount("/shop", std::move(inner));
  app.mount("/shop", std::move(other));
  app.mount("/{tenant}", App());
  try {
    app.service();
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("GET '/shop/x' takes tern::State<int>"));
    EXPECT_THAT(error.what(), HasSubstr("GET '/x' conflicts with '/x'"));
    EXPECT_THAT(error.what(), HasSubstr("GET '/shop/y' conflicts with '/shop/y'"));
    EXPECT_THAT(error.what(), HasSubstr("the prefix of a mounted app has no placeholders"));
  }
}

TEST(Mount, ends_the_registration_of_the_mounted_app) {
  App inner;
  Route route = inner.get("/x", [] { return "x"; });
  Group group = inner.group("/g");
  App app;
  app.mount("/shop", std::move(inner));
  EXPECT_THROW(route.name("x"), SetupError);
  EXPECT_THROW(group.get("/y", [] { return "y"; }), SetupError);
  App started;
  started.service();
  EXPECT_THROW(app.mount("/late", std::move(started)), SetupError);
}

TEST(Mount, runs_the_hooks_of_the_mounted_app) {
  std::vector<std::string> hooks;
  App inner;
  inner.on_start([&hooks] { hooks.emplace_back("start inner"); }).on_stop([&hooks] {
    hooks.emplace_back("stop inner");
  });
  App app;
  app.on_start([&hooks] { hooks.emplace_back("start"); }).on_stop([&hooks] { hooks.emplace_back("stop"); });
  app.mount("/shop", std::move(inner));
  app.start({.port = 0, .threads = 1});
  app.stop();
  EXPECT_THAT(hooks, ElementsAre("start", "start inner", "stop inner", "stop"));
}

}  // namespace
}  // namespace tern
