// Middleware: order, groups, what it runs around, and what it may do to a reply.
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

// Adds its name to the answer's x-trace on the way out, and to `trace` on the way in.
auto named(std::string& trace, char name) {
  return [&trace, name](Request&, Next next) -> Reply {
    trace += name;
    return next().then([name](Response response) {
      const std::string before(response.field("x-trace").value_or(""));
      return std::move(response.set("x-trace", before + name));
    });
  };
}

Task<Response> coroutine(Request& request, Next next) {
  Response response = co_await next();
  response.set("x-path", request.path());
  co_return response;
}

TEST(Middleware, runs_in_the_order_of_registration_outermost_first) {
  std::string trace;
  App app;
  app.use(named(trace, 'a'));
  Group api = app.group("/api");
  api.use(named(trace, 'c'));
  Group inner = api.group("/inner");
  inner.get("/x", [] { return "x"; }).use(named(trace, 'f')).use(named(trace, 'g'));
  inner.use(named(trace, 'e'));  // after the route, and still around it
  api.use(named(trace, 'd'));
  app.use(named(trace, 'b'));
  const TestResponse answer = Client(app).get("/api/inner/x");
  EXPECT_EQ(trace, "abcdefg");
  EXPECT_EQ(answer.field("x-trace"), "gfedcba");
  EXPECT_EQ(answer.body, "x");
}

struct First {
  static constexpr bool comes_first = true;
  Reply operator()(Request&, Next next) const {
    trace->push_back(letter);
    return next();
  }
  std::string* trace;
  char letter;
};

TEST(Middleware, that_comes_first_precedes_all_other_of_its_chain) {
  std::string trace;
  App app;
  app.use(named(trace, 'd'));
  Group api = app.group("/api").use(named(trace, 'e')).use(First{&trace, 'b'});
  api.get("/x", [] { return "x"; }).use(named(trace, 'f')).use(First{&trace, 'c'});
  app.use(First{&trace, 'a'});
  Client client(app);
  (void)client.get("/api/x");
  EXPECT_EQ(trace, "abcdef");
  trace.clear();
  (void)client.get("/api/missing");
  EXPECT_EQ(trace, "abde");
  trace.clear();
  (void)client.get("/missing");
  EXPECT_EQ(trace, "ad");
}

TEST(Middleware, that_comes_first_sees_the_preflights_of_its_route) {
  std::string trace;
  App app;
  app.use(named(trace, 'n'));
  app.get("/x", [] { return "x"; });
  app.put("/x", [] { return "x"; }).use(First{&trace, 'p'});
  Client client(app);
  const auto ask = [&](const std::string& method) {
    trace.clear();
    return client.send({.method = Method::Options,
                        .target = "/x",
                        .fields = {{"origin", "https://a"}, {"access-control-request-method", method}}});
  };
  const TestResponse answer = ask("PUT");
  EXPECT_EQ(trace, "p");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, PUT, OPTIONS");
  (void)ask("GET");
  EXPECT_EQ(trace, "n");
  (void)ask("DELETE");
  EXPECT_EQ(trace, "n");
}

// Appends a letter to the field X-Trace of responses that take the place of the chain's.
struct Adds {
  Reply operator()(Request&, Next next) const { return next(); }
  void add_fields(const Request&, Response& response) const {
    response.set("x-trace", std::string(response.fields().find("x-trace").value_or("")) + letter);
  }
  char letter;
};

struct AddsFirst : Adds {
  static constexpr bool comes_first = true;
};

struct AddsNothing {
  Reply operator()(Request&, Next next) const { return next(); }
  void add_fields(const Request&, Response&) const { throw std::runtime_error("no"); }
};

App app_of_adding_middleware() {
  App inner;
  inner.use(Adds{'m'}).get("/x", []() -> Task<std::string> { co_return "x"; });
  inner.on_problem([](const Problem&) { return Response::text("of the mounted app"); });
  App app;
  app.use(Adds{'a'});
  Group api = app.group("/api").use(Adds{'b'}).use(AddsFirst{{'c'}}).use(Adds{'d'});
  api.get("/x", []() -> Task<std::string> { co_return "x"; }).use(Adds{'e'}).use(AddsFirst{{'f'}});
  app.group("/failing").use(Adds{'g'}).use(AddsNothing()).use(Adds{'h'}).get("/x", [] { return "x"; });
  app.mount("/shop", std::move(inner));
  app.group("/other").use(Adds{'o'});
  return app;
}

TEST(Middleware, adds_fields_to_a_response_in_place_of_its_own_from_the_inside_out) {
  App app = app_of_adding_middleware();
  const auto trace = [&app](const char* path) {
    MemoryExchange exchange(Method::Get, path);
    const Reply reply = app.service().serve(exchange);
    const Response response = app.service().refuse_instead({Status::ServiceUnavailable, "late", {}, {}}, exchange);
    EXPECT_EQ(response.status(), Status::ServiceUnavailable);
    return std::string(response.fields().find("x-trace").value_or(""));
  };
  EXPECT_EQ(trace("/api/x"), "edbafc") << "those that come first are outside";
  EXPECT_EQ(trace("/api/missing"), "dbac") << "a path without a route is within its group";
  EXPECT_EQ(trace("/missing"), "a");
  EXPECT_EQ(trace("/shop/x"), "ma");
  EXPECT_EQ(trace("/failing/x"), "h") << "what was added before a failure stays";
}

TEST(Middleware, that_adds_fields_is_not_asked_for_the_responses_of_its_chain) {
  App app = app_of_adding_middleware();
  Client client(app);
  EXPECT_FALSE(client.get("/api/x").has("x-trace"));
}

TEST(Middleware, belongs_to_its_group_alone) {
  std::string trace;
  App app;
  app.group("/a").use(named(trace, 'a')).get("/x", [] { return "x"; });
  app.group("/b").use(named(trace, 'b')).get("/x", [] { return "x"; });
  app.get("/a", [] { return "not in the group"; });
  app.get("/ab/x", [] { return "nor here"; });
  Client client(app);
  EXPECT_EQ(client.get("/a/x").field("x-trace"), "a");
  EXPECT_EQ(client.get("/b/x").field("x-trace"), "b");
  EXPECT_FALSE(client.get("/a").has("x-trace"));
  EXPECT_FALSE(client.get("/ab/x").has("x-trace"));
}

TEST(Middleware, of_a_route_is_not_that_of_its_neighbour) {
  std::string trace;
  App app;
  app.get("/x", [] { return "x"; }).use(named(trace, 'x'));
  app.get("/y", [] { return "y"; });
  Client client(app);
  EXPECT_TRUE(client.get("/x").has("x-trace"));
  EXPECT_FALSE(client.get("/y").has("x-trace"));
}

TEST(Middleware, runs_around_404_405_options_redirects_and_malformed_paths) {
  std::string trace;
  App app;
  app.use(named(trace, 'a'));
  Group api = app.group("/api/");
  api.use(named(trace, 'b'));
  api.get("/x", [] { return "x"; });
  app.get("/slash/", [] { return "x"; });
  Client client(app);
  const auto check = [&client](Method method, std::string target, int status, std::string_view around) {
    const TestResponse answer = client.send({method, target});
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_EQ(answer.field("x-trace"), around) << target;
  };
  check(Method::Get, "/none", 404, "a");
  check(Method::Get, "/api/none", 404, "ba");
  check(Method::Get, "/api", 404, "ba");
  check(Method::Get, "/apiary", 404, "a");
  check(Method::Post, "/api/x", 405, "ba");
  check(Method::Options, "/api/x", 204, "ba");
  check(Method::Options, "*", 204, "a");
  check(Method::Get, "/api/x/", 308, "ba");
  check(Method::Get, "/slash", 308, "a");
  check(Method::Get, "/a/%2e%2e/b", 400, "a");
  check(Method::Head, "/api/none", 404, "ba");
}

TEST(Middleware, sees_the_404_of_the_innermost_group_with_placeholders) {
  std::string trace;
  App app;
  app.group("/{tenant}").use(named(trace, 't')).get("/x", [] { return "x"; });
  app.group("/{tenant}/books/{id:[0-9]+}").use(named(trace, 'b')).get("/x", [] { return "x"; });
  app.group("/{tenant}/files").use(named(trace, 'f')).get("/{rest...}", [] { return "x"; });
  Client client(app);
  EXPECT_EQ(client.get("/acme/books/7/y").field("x-trace"), "b");
  EXPECT_EQ(client.get("/acme/y").field("x-trace"), "t");
  EXPECT_EQ(client.get("/acme").field("x-trace"), "t");
  EXPECT_FALSE(client.get("/").has("x-trace")) << "a placeholder is never empty";
}

TEST(Middleware, of_a_group_at_the_root_runs_around_all_404) {
  std::string trace;
  App app;
  app.group("/").use(named(trace, 'r')).get("/x", [] { return "x"; });
  Client client(app);
  EXPECT_EQ(client.get("/x").field("x-trace"), "r");
  EXPECT_EQ(client.get("/x").body, "x");
}

TEST(Middleware, may_answer_without_going_on) {
  bool called = false;
  App app;
  app.use([](Request& request, Next next) -> Reply {
    if (!request.field("authorization")) return Response(Status::Unauthorized);
    return next();
  });
  app.get("/", [&called] {
    called = true;
    return "in";
  });
  Client client(app);
  EXPECT_EQ(client.get("/").status, 401);
  EXPECT_FALSE(called);
  EXPECT_EQ(client.with("authorization", "x").get("/").body, "in");
}

TEST(Middleware, that_answers_leaves_the_content_unread) {
  App app;
  app.use([](Request&, Next) { return Response(Status::Unauthorized); });
  app.post("/", [](Body) { return "in"; });
  MemoryExchange exchange(Method::Post, "/", {{"expect", "100-continue"}}, {}, true);
  Reply reply = app.service().serve(exchange);
  ASSERT_TRUE(reply.ready());
  EXPECT_FALSE(exchange.content_was_asked_for());
}

TEST(Middleware, may_be_a_function_an_object_or_generic_and_return_reply_response_or_task) {
  struct Counter {
    int* calls;
    Reply operator()(Request&, Next next) const {
      ++*calls;
      return next();
    }
  };
  int calls = 0;
  App app;
  app.use(&coroutine);
  app.use(Counter{&calls});
  app.use([](auto&, auto next) { return next(); });
  app.use([](const Request&, const Next& next) -> Reply { return next(); });
  app.get("/x", [] { return "x"; });
  const TestResponse answer = Client(app).get("/x");
  EXPECT_EQ(answer.body, "x");
  EXPECT_EQ(answer.field("x-path"), "/x");
  EXPECT_EQ(calls, 1);
}

TEST(Middleware, in_every_form_goes_around_every_form_of_handler) {
  App app;
  std::string trace;
  app.use(named(trace, 'a'));
  app.use(&coroutine);
  app.use(named(trace, 'b'));
  app.get("/plain", [] { return "plain"; });
  app.get("/task", []() -> Task<std::string> { co_return "task"; });
  app.get("/task/throws", []() -> Task<std::string> {
    throw HttpError(Status::Conflict);
    co_return "";
  });
  app.get("/throws", []() -> std::string { throw HttpError(Status::Conflict); });
  Client client(app);
  for (const auto& [target, status] :
       {std::pair("/plain", 200), {"/task", 200}, {"/task/throws", 409}, {"/throws", 409}, {"/none", 404}}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_EQ(answer.field("x-trace"), "ba") << target;
    EXPECT_EQ(answer.field("x-path"), target);
  }
}

TEST(Middleware, that_is_plain_keeps_a_ready_reply_ready) {
  std::string trace;
  App app;
  app.use(named(trace, 'a')).use(named(trace, 'b'));
  app.get("/", [] { return "x"; });
  MemoryExchange exchange(Method::Get, "/");
  Reply reply = app.service().serve(exchange);
  EXPECT_TRUE(reply.ready());
  EXPECT_FALSE(exchange.pinned());
}

TEST(Middleware, that_is_a_coroutine_pins_the_head) {
  App app;
  app.group("/api").use(&coroutine).get("/x", [] { return "x"; });
  app.get("/y", [] { return "y"; });
  MemoryExchange routed(Method::Get, "/api/x");
  const Reply one = app.service().serve(routed);
  EXPECT_TRUE(routed.pinned());
  MemoryExchange unrouted(Method::Get, "/api/none");
  const Reply two = app.service().serve(unrouted);
  EXPECT_TRUE(unrouted.pinned());
  MemoryExchange outside(Method::Get, "/y");
  const Reply three = app.service().serve(outside);
  EXPECT_FALSE(outside.pinned());
}

TEST(Middleware, throws_into_the_one_around_it_wherever_it_throws) {
  App app;
  std::string trace;
  app.use(named(trace, 'a'));
  app.get("/", [] { return "x"; });
  app.get("/before", [] { return "x"; }).use([](Request&, Next) -> Reply { throw HttpError(Status::Conflict); });
  app.get("/then", [] { return "x"; }).use([](Request&, Next next) -> Reply {
    return next().then([](Response) -> Response { throw HttpError(Status::Conflict); });
  });
  app.get("/late", []() -> Task<std::string> { co_return "x"; }).use([](Request&, Next next) -> Reply {
    return next().then([](Response) -> Response { throw HttpError(Status::Conflict); });
  });
  app.get("/coroutine/before", [] { return "x"; }).use([](Request&, Next) -> Task<Response> {
    throw HttpError(Status::Conflict);
    co_return Response();
  });
  app.get("/coroutine/after", [] { return "x"; }).use([](Request&, Next next) -> Task<Response> {
    Response response = co_await next();
    throw HttpError(Status::Conflict);
    co_return response;
  });
  app.get("/response", [] { return "x"; }).use([](Request&, Next) -> Response { throw HttpError(Status::Conflict); });
  Client client(app);
  for (const char* target : {"/before", "/then", "/late", "/coroutine/before", "/coroutine/after", "/response"}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, 409) << target;
    EXPECT_EQ(answer.field("x-trace"), "a") << target;
  }
}

TEST(Middleware, gets_exceptions_as_responses_and_never_thrown) {
  App app;
  bool thrown = false;
  app.use([&thrown](Request&, Next next) -> Task<Response> {
    try {
      co_return co_await next();
    } catch (...) {
      thrown = true;
      co_return Response(Status::Ok);
    }
  });
  app.get("/throws", []() -> std::string { throw std::runtime_error("x"); });
  app.get("/task", []() -> Task<std::string> {
    throw std::runtime_error("x");
    co_return "";
  });
  Client client(app);
  EXPECT_EQ(client.get("/throws").status, 500);
  EXPECT_EQ(client.get("/task").status, 500);
  EXPECT_FALSE(thrown);
}

TEST(Middleware, passes_values_on_with_the_request) {
  struct User {
    std::string name;
  };
  App app;
  app.use([](Request& request, Next next) {
    request.put(User{"a name that no small string holds"});
    return next();
  });
  app.get("/", [](Request& request) { return request.find<User>()->name; });
  app.get("/other", [](Request& request) { return request.find<int>() == nullptr ? "none" : "some"; });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "a name that no small string holds");
  EXPECT_EQ(client.get("/other").body, "none");
}

TEST(Middleware, knows_the_route_and_its_parameters) {
  std::string seen;
  App app;
  app.use([&seen](Request& request, Next next) {
    seen = std::string(request.route()) + " " + std::string(request.parameter("id").value_or("-"));
    return next();
  });
  app.group("/{tenant}").get("/books/{id}", [](std::string_view tenant, int id) {
    return std::string(tenant) + std::to_string(id);
  });
  Client client(app);
  EXPECT_EQ(client.get("/acme/books/7").body, "acme7");
  EXPECT_EQ(seen, "/{tenant}/books/{id} 7");
  EXPECT_EQ(client.get("/acme/none").status, 404);
  EXPECT_EQ(seen, " -");
}

TEST(Middleware, does_not_see_the_content) {
  std::string seen = "unset";
  App app;
  app.use([&seen](Request& request, Next next) {
    seen = request.body();
    return next();
  });
  app.post("/", [](Body body) { return body.bytes; });
  EXPECT_EQ(Client(app).post("/", "content").body, "content");
  EXPECT_EQ(seen, "");
}

TEST(Middleware, that_is_a_coroutine_goes_around_late_content) {
  App app;
  app.use(&coroutine);
  app.post("/{name}", [](std::string_view name, Body body) { return std::string(name) + std::string(body.bytes); });
  MemoryExchange exchange(Method::Post, "/name", {}, {}, true);
  Reply reply = app.service().serve(exchange);
  int ends = 0;
  ASSERT_FALSE(reply.task().start([](void* count) { ++*static_cast<int*>(count); }, &ends));
  exchange.arrive("+content");
  exchange.end();
  ASSERT_EQ(ends, 1);
  const Response response = reply.task().result();
  EXPECT_EQ(response.content(), "name+content");
  EXPECT_EQ(response.field("x-path"), "/name");
}

TEST(Middleware, is_destroyed_with_the_app) {
  struct Guard {
    explicit Guard(int& count) : alive(&count) { ++*alive; }
    Guard(Guard&& other) noexcept : alive(other.alive) { ++*alive; }
    ~Guard() { --*alive; }
    Reply operator()(Request&, Next next) const { return next(); }
    int* alive;
  };
  int alive = 0;
  {
    App app;
    app.use(Guard(alive));
    app.get("/", [] { return "x"; }).use(Guard(alive));
    EXPECT_EQ(alive, 2);
    Client client(app);
    EXPECT_THROW(app.use(Guard(alive)), SetupError);
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace tern
