// App: mistakes in its setup, its list of routes, slashes, methods, paths.
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <source_location>
#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestResponse;

std::string error_of(auto set_up) {
  try {
    set_up();
  } catch (const SetupError& error) {
    return error.what();
  }
  return "no error";
}

// What the start says about this registration, without the place in front of it.
std::string mistake_of(auto set_up) {
  App app;
  EXPECT_NO_THROW(set_up(app));
  const std::string error = error_of([&] { app.service(); });
  if (error == "no error") return error;
  EXPECT_TRUE(error.contains("app_test.cpp:")) << error;
  return error.substr(error.find(": ") + 2);
}

const auto letter_x = [] { return "x"; };

TEST(Setup, refuses_two_routes_that_cannot_be_told_apart) {
  EXPECT_EQ(mistake_of([](App& app) {
              app.get("/books/{id}", letter_x);
              app.get("/books/{name}", letter_x);
            }),
            "GET '/books/{name}' conflicts with '/books/{id}', which is registered already");
  EXPECT_EQ(mistake_of([](App& app) {
              app.get("/books/{id}", letter_x);
              app.group("/books").get("/{x}", letter_x);
              EXPECT_EQ(app.routes().size(), 1U) << "a refused route is not listed";
            }),
            "GET '/books/{x}' conflicts with '/books/{id}', which is registered already");
  EXPECT_EQ(mistake_of([](App& app) {
              app.get("/books/{id}", letter_x);
              app.post("/books/{name}", letter_x);
            }),
            "no error");
}

TEST(Setup, takes_runtime_patterns_for_every_method_and_in_groups) {
  App app;
  const std::string path = "/of-the-run/{id}";
  const auto handler = [](int id) { return id; };
  app.get(runtime(path), handler);
  app.post(runtime(path), handler);
  app.put(runtime(path), handler);
  app.patch(runtime(path), handler);
  app.del(runtime(path), handler);
  app.options(runtime(path), handler);
  app.head(runtime(path), handler);
  app.on(Method::Trace, runtime(path), handler);
  app.group(runtime("/group")).get(runtime(path), handler);
  app.route(runtime("/chained")).get([] { return "x"; });
  testing::Client client(app);
  EXPECT_EQ(client.del("/of-the-run/7").body, "7");
  EXPECT_EQ(client.get("/group/of-the-run/8").body, "8");
  EXPECT_EQ(app.routes().size(), 10U);
}

TEST(Setup, reports_all_mistakes_at_once_each_with_its_place) {
  App app;
  app.get("/", letter_x);
  const unsigned line = std::source_location::current().line();
  app.get("/", letter_x).name("a").limits({}).use([](Request&, Next next) { return next(); });
  auto group = app.group("{a");
  group.get("/of-a-group-that-is-none", letter_x);
  group.group("/x").get("not-told", letter_x);
  app.route("/{a}/{a}").get(letter_x).put(letter_x);
  app.get(runtime("/{b"), letter_x);
  app.get("/states", [](State<int> state) { return *state; });
  app.websocket("/socket", [](WebSocket) -> Task<> { co_return; }, {.window_bits = 8});
  const std::string file = std::source_location::current().file_name();
  const auto at = [&](unsigned behind) { return "\n  " + file + ":" + std::to_string(line + behind) + ": "; };
  const std::string all =
      "7 mistakes in the setup:" + at(1) + "GET '/' conflicts with '/', which is registered already" + at(2) +
      "group '{a': a pattern begins with '/'" + at(5) + "pattern '/{a}/{a}': two placeholders have the same name" +
      at(5) + "pattern '/{a}/{a}': two placeholders have the same name" + at(6) + "pattern '/{b': a '{' is not closed" +
      at(8) + "GET '/socket': the window_bits of a WebSocket are 9 to 15" + at(7) +
      "GET '/states' takes tern::State<int>, but no such state was given: call app.state(…) before "
      "the start";
  EXPECT_EQ(error_of([&] { app.service(); }), all);
  EXPECT_EQ(error_of([&] { app.service(); }), all);
}

TEST(Setup, refuses_a_path_parameter_that_the_pattern_does_not_have) {
  EXPECT_EQ(mistake_of([](App& app) { app.get("/books/{id}", [](Path<"name">) { return "x"; }); }),
            "GET '/books/{id}' takes tern::Path<\"name\">, but its pattern has no such placeholder");
  EXPECT_EQ(mistake_of([](App& app) { app.get("/books", [](Path<"">) { return "x"; }); }),
            "GET '/books' takes tern::Path<\"\">, but its pattern has no such placeholder");
  EXPECT_EQ(mistake_of([](App& app) { app.group("/{tenant}").get("/x", [](Path<"tenant">) { return "x"; }); }),
            "no error");
}

TEST(Setup, misses_a_state_at_the_start_and_can_be_mended) {
  App app;
  app.get("/x", [](State<std::string> state) { return *state; });
  EXPECT_THAT(error_of([&] { app.service(); }), HasSubstr(": GET '/x' takes tern::State<"));
  EXPECT_THAT(error_of([&] { app.service(); }),
              HasSubstr("but no such state was given: call app.state(…) before the start"));
  app.state(std::string("mended"));
  EXPECT_EQ(Client(app).get("/x").body, "mended");
}

TEST(Setup, misses_a_per_loop_value_at_the_start) {
  EXPECT_EQ(mistake_of([](App& app) { app.get("/x", [](PerLoop<int> value) { return *value; }); }),
            "GET '/x' takes tern::PerLoop<int>, but nothing makes it: call app.per_loop(…) before the start");
}

TEST(Setup, refuses_two_states_of_one_type) {
  EXPECT_EQ(mistake_of([](App& app) { app.state(7).state(8); }),
            "two states of type int were given: State<T> would not know which");
  EXPECT_EQ(mistake_of([](App& app) { app.per_loop([] { return 7; }).per_loop([] { return 8; }); }),
            "two per-loop states of type int were given");
  App app;
  app.emplace_state<int>(7).emplace_state<int>(8);
  EXPECT_EQ(error_of([&] { app.service(); }), "two states of type int were given: State<T> would not know which");
}

TEST(Setup, counts_placeholders_in_groups_and_run_time_patterns) {
  EXPECT_EQ(mistake_of([](App& app) { app.group("/{tenant}/books/{id}").get("/x", [](int) { return "x"; }); }),
            "pattern '/{tenant}/books/{id}/x' has 2 placeholders, but its handler takes 1 by position: take all of "
            "them, or none");
  EXPECT_EQ(mistake_of([](App& app) { app.get(runtime("/{id}"), [](int, int) { return "x"; }); }),
            "pattern '/{id}' has 1 placeholder, but its handler takes 2 by position: take all of them, or none");
  EXPECT_EQ(mistake_of([](App& app) { app.get(runtime("/"), [](int) { return "x"; }); }),
            "pattern '/' has 0 placeholders, but its handler takes 1 by position: take all of them, or none");
  EXPECT_EQ(mistake_of([](App& app) { app.get(runtime("/{id}"), [](int) { return "x"; }); }), "no error");
}

TEST(Setup, checks_run_time_patterns_and_prefixes) {
  EXPECT_EQ(mistake_of([](App& app) { app.get(runtime("/{id"), letter_x); }), "pattern '/{id': a '{' is not closed");
  EXPECT_EQ(mistake_of([](App& app) { app.on(Method::Put, runtime("x"), letter_x); }),
            "pattern 'x': a pattern begins with '/'");
  EXPECT_EQ(mistake_of([](App& app) { app.group("api"); }), "group 'api': a pattern begins with '/'");
  EXPECT_EQ(mistake_of([](App& app) { app.group("/{a").get("/x", letter_x); }), "group '/{a': a '{' is not closed");
  EXPECT_EQ(mistake_of([](App& app) { app.group("/{a}").get("/{a}", letter_x); }),
            "pattern '/{a}/{a}': two placeholders have the same name");
  EXPECT_EQ(mistake_of([](App& app) { app.group("/api").get("items", letter_x); }),
            "pattern 'items' in group '/api': a pattern begins with '/'");
  EXPECT_THAT(mistake_of([](App& app) { app.route("/{id:[}").get(letter_x); }),
              HasSubstr("the regular expression '[' is malformed"));
}

TEST(Setup, refuses_two_routes_of_one_name) {
  EXPECT_EQ(mistake_of([](App& app) {
              app.get("/a", letter_x).name("a").name("a");
              app.get("/b", letter_x).name("a");
              app.get("/c", letter_x).name("");
            }),
            "two routes are named 'a': '/a' and '/b'");
}

TEST(Setup, is_over_at_the_start) {
  App app;
  Group group = app.group("/api");
  MethodChain chain = app.route("/chain");
  Route route = app.get("/x", letter_x);
  app.service();
  app.service();
  constexpr std::string_view rule = " after the start: everything is registered before it";
  const auto refused = [&rule](std::string_view what, auto registration) {
    EXPECT_EQ(error_of(registration), std::string(what) + std::string(rule));
  };
  refused("a route was registered", [&] { app.get("/y", letter_x); });
  refused("a route was registered", [&] { group.get("/y", letter_x); });
  refused("a route was registered", [&] { chain.get(letter_x); });
  refused("a group was registered", [&] { app.group("/y"); });
  refused("middleware was registered", [&] { app.use([](Request&, Next next) { return next(); }); });
  refused("middleware was registered", [&] { route.use([](Request&, Next next) { return next(); }); });
  refused("a route was named", [&] { route.name("y"); });
  refused("limits were set", [&] { route.limits({}); });
  refused("a state was given", [&] { app.state(7); });
  refused("a per-loop state was given", [&] { app.per_loop([] { return 7; }); });
  refused("an error mapping was given", [&] { app.on_error([](int) { return "x"; }); });
  refused("a problem renderer was given", [&] { app.on_problem([](const Problem&) { return Response(); }); });
  refused("the trailing-slash policy was set", [&] { app.trailing_slash(TrailingSlash::Strict); });
}

TEST(App, lists_its_routes_in_the_order_of_registration) {
  App app;
  app.get("/b", letter_x).name("second letter");
  app.group("/api").group("/v1").post("/a/{id:[0-9]+}", letter_x);
  app.route("/c").put(letter_x).del(letter_x);
  app.on(Method::PropFind, "/d", letter_x);
  std::vector<std::string> list;
  for (const RouteInfo& route : app.routes()) {
    list.push_back(std::string(method_name(route.method)) + " " + route.pattern + " " + route.name);
  }
  EXPECT_THAT(list, ElementsAre("GET /b second letter", "POST /api/v1/a/{id:[0-9]+} ", "PUT /c ", "DELETE /c ",
                                "PROPFIND /d "));
}

TEST(App, joins_prefixes_and_patterns_with_one_slash) {
  App app;
  app.group("/a").get("", letter_x);
  app.group("/b/").get("/x", letter_x);
  app.group("/c").get("/", letter_x);
  app.group("").get("/d", letter_x);
  app.group("/e").group("").group("/f").get("/g", letter_x);
  std::vector<std::string> list;
  for (const RouteInfo& route : app.routes()) list.push_back(route.pattern);
  EXPECT_THAT(list, ElementsAre("/a", "/b/x", "/c/", "/d", "/e/f/g"));
}

TEST(App, may_be_moved_with_what_refers_to_it) {
  App first;
  Group group = first.group("/api");
  Route route = first.get("/x", letter_x);
  App second = std::move(first);
  group.get("/y", letter_x);
  route.name("x");
  second.get("/z", letter_x);
  Client client(second);
  EXPECT_EQ(client.get("/x").status, 200);
  EXPECT_EQ(client.get("/api/y").status, 200);
  EXPECT_EQ(client.get("/z").status, 200);
}

TEST(App, without_routes_answers_too) {
  App app;
  Client client(app);
  EXPECT_EQ(client.get("/").status, 404);
  const TestResponse answer = client.options("*");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("allow"), "OPTIONS");
}

TEST(App, is_no_server_before_its_start) {
  App app;
  EXPECT_EQ(app.port(), 0);
  EXPECT_EQ(app.address(), "");
  app.stop();
  app.wait();
  app.stop(false);
}

// --- Slashes ---------------------------------------------------------------------------------------------------------

void add_slash_routes(App& app) {
  app.get("/books", letter_x);
  app.get("/shelf/", letter_x);
  app.get("/users/{id}", [](std::string_view id) { return id; });
  app.get("/files/{path...}", [](std::string_view path) { return "[" + std::string(path) + "]"; });
}

TEST(TrailingSlash, redirects_to_the_route_that_there_is) {
  App app;
  add_slash_routes(app);
  Client client(app);
  const auto check = [&client](std::string_view target, std::string_view location) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, 308) << target;
    EXPECT_EQ(answer.field("location"), location);
  };
  check("/books/", "/books");
  check("/books/?a=b&c=%20", "/books?a=b&c=%20");
  check("/shelf", "/shelf/");
  check("/users/a%20b/", "/users/a%20b");
  check("/files", "/files/");
  check("http://localhost/books/?a", "/books?a");
  EXPECT_EQ(client.get("/none/").status, 404);
  EXPECT_EQ(client.get("/users/").status, 404);
  EXPECT_EQ(client.get("/books//").status, 404);
  EXPECT_EQ(client.post("/books/", "").status, 404);
}

TEST(TrailingSlash, never_redirects_to_another_host) {
  App app;
  app.get("/{a}/{b}/", letter_x);
  app.get("/{rest...}", letter_x);
  App other;
  other.get("/{any}", letter_x);
  for (const char* target : {"//evil.example", "//evil.example/", "/\\evil.example", "/\\evil.example/", "///"}) {
    for (App* which : {&app, &other}) {
      const TestResponse answer = Client(*which).get(target);
      EXPECT_FALSE(answer.has("location")) << target << " leads to " << answer.field("location");
    }
  }
}

TEST(TrailingSlash, may_be_ignored) {
  App app;
  add_slash_routes(app);
  app.trailing_slash(TrailingSlash::Ignore);
  Client client(app);
  EXPECT_EQ(client.get("/books/").body, "x");
  EXPECT_EQ(client.get("/shelf").body, "x");
  EXPECT_EQ(client.get("/users/a%20b/").body, "a b");
  EXPECT_EQ(client.get("/files").body, "[]");
  EXPECT_EQ(client.get("/none/").status, 404);
}

TEST(TrailingSlash, may_be_taken_strictly) {
  App app;
  add_slash_routes(app);
  app.trailing_slash(TrailingSlash::Strict);
  Client client(app);
  EXPECT_EQ(client.get("/books/").status, 404);
  EXPECT_EQ(client.get("/shelf").status, 404);
  EXPECT_EQ(client.get("/files").status, 404);
  EXPECT_EQ(client.get("/shelf/").status, 200);
}

TEST(TrailingSlash, ignored_keeps_the_parameters_of_a_coroutine_alive) {
  App app;
  app.trailing_slash(TrailingSlash::Ignore);
  app.get("/{name}", [](std::string_view name, Request& request) -> Task<std::string> {
    co_return std::string(name) + std::string(request.path());
  });
  EXPECT_EQ(Client(app).get("/a-name-that-no-small-string-holds/").body,
            "a-name-that-no-small-string-holds/a-name-that-no-small-string-holds/");
}

// --- Methods and paths -----------------------------------------------------------------------------------------------

TEST(Methods, head_follows_get_without_content) {
  App app;
  app.get("/get", [](const Request& request) { return request.method() == Method::Head ? "head" : "the get"; });
  app.head("/own", [] { return Response(Status::NoContent); });
  app.get("/own", letter_x);
  Client client(app);
  const TestResponse answer = client.head("/get");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.field("content-length"), "4");
  EXPECT_EQ(client.head("/own").status, 204);
  EXPECT_EQ(client.head("/none").status, 404);
  EXPECT_EQ(client.head("/none").body, "");
}

TEST(Methods, that_are_not_offered_are_405_with_allow) {
  App app;
  app.route("/x").get(letter_x).post(letter_x);
  app.del("/{any}", letter_x);
  app.put("/y", letter_x);
  Client client(app);
  const TestResponse answer = client.put("/x", "");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, POST, DELETE, OPTIONS");
  EXPECT_EQ(answer.field("content-type"), media::problem);
  EXPECT_EQ(client.get("/y").field("allow"), "PUT, DELETE, OPTIONS");
  EXPECT_EQ(client.head("/y").status, 405);
  EXPECT_EQ(client.send({Method::PropFind, "/x"}).status, 405);
}

TEST(Methods, options_are_answered_with_allow) {
  App app;
  app.get("/x", letter_x);
  app.post("/y", letter_x);
  app.options("/own", letter_x);
  Client client(app);
  const TestResponse answer = client.options("/x");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(client.options("*").status, 204);
  EXPECT_EQ(client.options("*").field("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(client.options("/own").body, "x");
  EXPECT_EQ(client.options("/none").status, 404);
}

TEST(Paths, are_decoded_once_and_segment_by_segment) {
  App app;
  app.get("/a/{name}", [](std::string_view name) { return name; });
  Client client(app);
  EXPECT_EQ(client.get("/a/b%20c").body, "b c");
  EXPECT_EQ(client.get("/%61/b").body, "b");
  EXPECT_EQ(client.get("/a/b%2Fc").body, "b/c");
  EXPECT_EQ(client.get("/a/%2525").body, "%25");
  EXPECT_EQ(client.get("/a%2Fb").status, 404);
  EXPECT_EQ(client.get("http://localhost/a/b?c").body, "b");
}

TEST(Paths, with_dot_segments_are_refused) {
  App app;
  app.get("/{path...}", [](std::string_view path) { return path; });
  Client client(app);
  for (const char* target : {"/..", "/a/../b", "/a/.", "/%2e%2E/b", "/a/%2e", "/a%2f..%2fb", "/.%2e/"}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(answer.field("content-type"), media::problem);
  }
  EXPECT_EQ(client.get("/a..b/.c/d").body, "a..b/.c/d");
}

TEST(Paths, that_no_protocol_core_has_checked_are_refused_where_they_are_malformed) {
  App app;
  app.get("/{path...}", [](std::string_view path) { return path; });
  for (const char* target : {"/%", "/%0", "/%zz", "/a/%00"}) {
    MemoryExchange exchange(Method::Get, target);
    Reply reply = app.service().serve(exchange);
    ASSERT_TRUE(reply.ready());
    EXPECT_EQ(reply.response().status(), Status::BadRequest) << target;
  }
}

TEST(Service, refuses_what_never_became_a_request_in_the_same_way) {
  App app;
  const Response response = app.service().refuse({Status::RequestTimeout, "too slow", {}, {}});
  EXPECT_EQ(response.status(), Status::RequestTimeout);
  EXPECT_EQ(response.field("content-type"), media::problem);
  EXPECT_THAT(std::string(response.content()), HasSubstr("too slow"));
}

TEST(App, denies_unknown_members_of_json_by_choice) {
  struct Point {
    int x = 0;
  };
  App lenient;
  lenient.post("/", [](Json<Point> point) { return point->x; });
  EXPECT_EQ(testing::Client(lenient).post("/", R"({"x":1,"y":2})").body, "1");
  App strict;
  strict.deny_unknown_members();
  strict.post("/", [](Json<Point> point) { return point->x; });
  strict.post("/by-request", [](Request& request) { return request.json<Point>().x; });
  testing::Client client(strict);
  const testing::TestResponse answer = client.post("/", R"({"y":2,"x":1,"z":3})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_TRUE(
      answer.body.contains(R"("errors":[{"detail":"unknown member","pointer":"/y","in":"body","code":"unknown"},)"
                           R"({"detail":"unknown member","pointer":"/z","in":"body","code":"unknown"}])"))
      << answer.body;
  EXPECT_EQ(client.post("/", R"({"x":1})").body, "1");
  EXPECT_EQ(client.post("/by-request", R"({"x":1,"y":2})").status, 422);
  EXPECT_THROW(strict.deny_unknown_members(false), SetupError);
}

}  // namespace
}  // namespace tern
