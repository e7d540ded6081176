// Extractors beyond values from the head: state, content, user-defined ones; their order; content that comes late.
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct User {
  std::string name;
};
struct Admin {
  User user;
};
struct Fails {};
struct Throws {};
struct Length {
  std::size_t bytes = 0;
};
template <int N>
struct Traced {};
struct Names {
  std::vector<std::string> name;
};

// Which extractors were asked, in their order.
std::string trace;

}  // namespace

template <>
struct tern::Extract<User> {
  static std::expected<User, Rejection> from(Request& request) {
    const auto name = request.field("x-user");
    if (!name) return std::unexpected(Rejection::absent(Status::Unauthorized, "who are you?"));
    if (*name == "stranger") return std::unexpected(Rejection(Status::Forbidden, "not you"));
    return User{std::string(*name)};
  }
};
template <>
struct tern::Extract<Admin> {  // one extractor uses another
  static std::expected<Admin, Rejection> from(Request& request) {
    auto user = Extract<User>::from(request);
    if (!user) return std::unexpected(std::move(user.error()));
    return Admin{std::move(*user)};
  }
};
template <>
struct tern::Extract<Fails> {
  static std::expected<Fails, Rejection> from(Request&) {
    trace += 'F';
    Rejection rejection(Status::TooManyRequests, "slowly");
    rejection.problem.fields.set("retry-after", "3");
    return std::unexpected(std::move(rejection));
  }
};
template <>
struct tern::Extract<Throws> {
  static std::expected<Throws, Rejection> from(Request&) { throw HttpError(Status::Gone, "thrown"); }
};
template <>
struct tern::Extract<Length> {
  static constexpr bool reads_body = true;
  static std::expected<Length, Rejection> from(Request& request) {
    trace += 'L';
    return Length{request.body().size()};
  }
};
template <int N>
struct tern::Extract<Traced<N>> {
  static std::expected<Traced<N>, Rejection> from(Request&) {
    trace += static_cast<char>('0' + N);
    return Traced<N>{};
  }
};
// An extractor that needs a state, without the start's knowing.
struct Hidden {};
template <>
struct tern::Extract<Hidden> {
  static std::expected<Hidden, Rejection> from(Request& request) {
    const auto state = Extract<State<double>>::from(request);
    if (!state) return std::unexpected(state.error());
    return Hidden{};
  }
};

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

TEST(Extractors, of_the_user_are_parameters_like_any_other) {
  App app;
  app.get("/user/{n}", [](const User& user, int n) { return user.name + std::to_string(n); });
  app.get("/admin", [](Admin admin) { return admin.user.name; });
  app.get("/maybe", [](std::optional<User> user) { return user ? user->name : std::string("anonymous"); });
  app.get("/throws", [](Throws) { return "fine"; });
  Client client(app);
  EXPECT_EQ(client.get("/user/1").status, 401);
  EXPECT_THAT(client.get("/user/1").body, HasSubstr("who are you?"));
  EXPECT_EQ(client.get("/admin").status, 401);
  EXPECT_EQ(client.get("/maybe").body, "anonymous");
  EXPECT_EQ(client.get("/throws").status, 410);
  client.with("x-user", "Ann");
  EXPECT_EQ(client.get("/user/1").body, "Ann1");
  EXPECT_EQ(client.get("/admin").body, "Ann");
  EXPECT_EQ(client.get("/maybe").body, "Ann");
  Client stranger(app);
  stranger.with("x-user", "stranger");
  EXPECT_EQ(stranger.get("/maybe").status, 403) << "present, but refused";
}

TEST(Extractors, run_in_order_stop_at_the_first_failure_and_read_the_body_last) {
  App app;
  app.post("/fine", [](Length, Traced<1>, Traced<2>, const Traced<3>&) { return "fine"; });
  app.post("/fails", [](Length, Traced<1>, Fails, Traced<2>) { return "fine"; });
  Client client(app);
  trace.clear();
  EXPECT_EQ(client.post("/fine", "x").status, 200);
  EXPECT_EQ(trace, "123L");
  trace.clear();
  const TestResponse answer = client.post("/fails", "x");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.field("retry-after"), "3") << "the fields of a rejection are sent";
  EXPECT_EQ(trace, "1F");
}

TEST(Extractors, stop_before_the_content_is_asked_for) {
  App app;
  app.post("/", [](Body, Fails) { return "fine"; });
  MemoryExchange exchange(Method::Post, "/", {{"expect", "100-continue"}}, {}, true);
  Reply reply = app.service().serve(exchange);
  ASSERT_TRUE(reply.ready());
  EXPECT_EQ(reply.response().status(), Status::TooManyRequests);
  EXPECT_FALSE(exchange.content_was_asked_for());
}

TEST(StateParameter, is_what_the_app_was_given) {
  App app;
  app.state(std::string("shared")).state(7);
  app.get("/", [](State<std::string> text, const State<int>& number) { return *text + std::to_string(*number); });
  app.get("/size", [](State<std::string> text) { return text->size(); });
  app.get("/maybe", [](std::optional<State<double>> none, std::optional<State<int>> some) {
    return (none ? "some" : "none") + std::to_string(**some);
  });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "shared7");
  EXPECT_EQ(client.get("/size").body, "6");
  EXPECT_EQ(client.get("/maybe").body, "none7");
}

TEST(StateParameter, that_only_an_extractor_takes_is_a_reported_500_when_it_is_missing) {
  App app;
  app.get("/", [](Hidden) { return "fine"; });
  Client client(app);
  EXPECT_EQ(client.get("/").status, 500);
  ASSERT_EQ(client.reports().size(), 1U);
  EXPECT_THAT(client.reports()[0], HasSubstr("tern::State<double>"));
}

TEST(PerLoopParameter, is_made_once_and_may_be_changed) {
  int made = 0;
  App app;
  app.per_loop([&made] {
    ++made;
    return std::vector<int>{};
  });
  app.get("/", [](PerLoop<std::vector<int>> list) {
    list->push_back(1);
    return list->size();
  });
  app.get("/maybe", [](std::optional<PerLoop<int>> none) { return none ? "some" : "none"; });
  Client client(app);
  EXPECT_EQ(made, 0) << "when it is first asked for";
  EXPECT_EQ(client.get("/").body, "1");
  EXPECT_EQ(client.get("/").body, "2");
  EXPECT_EQ(client.get("/maybe").body, "none");
  EXPECT_EQ(made, 1);
}

TEST(BodyParameter, is_the_content_as_it_came) {
  App app;
  app.post("/size", [](Body body) { return body.bytes.size(); });
  app.post("/echo", [](const Body& body) { return std::string(std::string_view(body)); });
  app.post("/request", [](Request& request) { return request.body(); });
  app.post("/view", [](Body body) -> std::string_view { return body; });
  Client client(app);
  EXPECT_EQ(client.post("/size", std::string(3, '\0')).body, "3");
  EXPECT_EQ(client.post("/echo", "text").body, "text");
  EXPECT_EQ(client.post("/request", "text").body, "text");
  EXPECT_EQ(client.post("/view", "text").body, "text");
  EXPECT_EQ(client.send({Method::Post, "/echo"}).body, "");
}

TEST(FormParameter, has_at_most_4096_members) {
  App app;
  app.post("/", [](Form<Names> names) { return names->name.size(); });
  Client client(app);
  std::string most = "name=1";
  for (int i = 1; i < 4096; ++i) most += "&name";
  const auto form = [&client](std::string content) {
    return client.post("/", std::move(content), "application/x-www-form-urlencoded");
  };
  EXPECT_EQ(form(most).body, "4096");
  EXPECT_EQ(form(most + "&").status, 400);
}

TEST(StopTokenParameter, fires_when_the_client_goes) {
  App app;
  bool before = true;
  const Request* seen = nullptr;
  app.get("/", [&](StopToken stop, Request& request) {
    before = stop.stop_requested();
    seen = &request;
    return "fine";
  });
  MemoryExchange exchange(Method::Get, "/");
  (void)app.service().serve(exchange);
  EXPECT_FALSE(before);
  ASSERT_NE(seen, nullptr);
  exchange.disconnect();
  EXPECT_TRUE(seen->stop().stop_requested());
}

// --- Content that comes after the head -------------------------------------------------------------------------------

void count(void* ends) {
  ++*static_cast<int*>(ends);
}

TEST(LateContent, is_complete_before_the_handler_is_called_and_views_are_still_valid) {
  App app;
  int calls = 0;
  app.post("/{name}/{word}", [&calls](std::string_view name, Header<"x-long"> field, const std::string& word, Body body,
                                      Query<User> query) {
    ++calls;
    return std::string(name) + "|" + std::string(*field) + "|" + word + "|" + std::string(body.bytes) + "|" +
           query->name;
  });
  MemoryExchange exchange(Method::Post, "/first-placeholder/sec%20ond?name=from-the-query",
                          {{"x-long", "a value that is longer than any small string"}}, {}, true);
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.ready());
  int ends = 0;
  ASSERT_FALSE(reply.task().start(&count, &ends));
  EXPECT_TRUE(exchange.pinned());
  EXPECT_TRUE(exchange.content_was_asked_for());
  exchange.arrive("one");
  exchange.arrive("two");
  EXPECT_EQ(calls, 0);
  exchange.end();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ends, 1);
  const Response response = reply.task().result();
  EXPECT_EQ(response.content(),
            "first-placeholder|a value that is longer than any small string|sec ond|onetwo|from-the-query");
}

TEST(LateContent, is_not_waited_for_by_a_handler_that_does_not_look_at_it) {
  App app;
  app.post("/", [](StopToken) { return "at once"; });
  MemoryExchange exchange(Method::Post, "/", {}, {}, true);
  Reply reply = app.service().serve(exchange);
  ASSERT_TRUE(reply.ready());
  EXPECT_EQ(reply.response().content(), "at once");
  EXPECT_FALSE(exchange.content_was_asked_for());
}

Status status_after(App& app, void (*what)(MemoryExchange&)) {
  MemoryExchange exchange(Method::Post, "/", {{"content-type", "application/json"}}, {}, true);
  Reply reply = app.service().serve(exchange);
  EXPECT_FALSE(reply.ready());
  int ends = 0;
  if (!reply.task().start(&count, &ends)) what(exchange);
  EXPECT_EQ(ends, 1);
  return reply.task().result().status();
}

TEST(LateContent, that_fails_is_answered_with_why) {
  App app;
  app.post("/", [](Json<User> user) { return user->name; }).limits({.max_body_bytes = 8});
  EXPECT_EQ(status_after(app, [](MemoryExchange& e) { e.fail(StreamError::TooSlow); }), Status::RequestTimeout);
  EXPECT_EQ(status_after(app, [](MemoryExchange& e) { e.fail(StreamError::Malformed); }), Status::BadRequest);
  EXPECT_EQ(status_after(app, [](MemoryExchange& e) { e.disconnect(); }), Status::BadRequest);
  EXPECT_EQ(status_after(app, [](MemoryExchange& e) { e.arrive("123456789"); }), Status::ContentTooLarge);
  EXPECT_EQ(status_after(app,
                         [](MemoryExchange& e) {
                           e.set_budget(2);
                           e.arrive("123");
                         }),
            Status::ServiceUnavailable);
  EXPECT_EQ(status_after(app,
                         [](MemoryExchange& e) {
                           e.arrive("{");
                           e.end();
                         }),
            Status::BadRequest);
}

TEST(LateContent, reaches_a_coroutine_with_all_that_it_refers_to) {
  App app;
  app.post("/{name}", [](const std::string& name, const Json<User>& user, Request& request) -> Task<std::string> {
    co_return name + user->name + std::string(request.field("x").value_or(""));
  });
  MemoryExchange exchange(Method::Post, "/a-name-that-needs-the-heap-to-be-kept",
                          {{"content-type", "application/json"}, {"x", "!"}}, {}, true);
  Reply reply = app.service().serve(exchange);
  int ends = 0;
  ASSERT_FALSE(reply.task().start(&count, &ends));
  exchange.arrive(R"({"name":"and a user )");
  exchange.arrive(R"(whose name does so too"})");
  exchange.end();
  ASSERT_EQ(ends, 1);
  EXPECT_EQ(reply.task().result().content(), "a-name-that-needs-the-heap-to-be-keptand a user whose name does so too!");
}

TEST(LateContent, may_be_given_up_with_its_handler) {
  App app;
  app.post("/{name}", [](const std::string& name, Body) { return name; });
  MemoryExchange exchange(Method::Post, "/a-name-that-needs-the-heap-to-be-kept", {}, {}, true);
  {
    Reply reply = app.service().serve(exchange);
    int ends = 0;
    ASSERT_FALSE(reply.task().start(&count, &ends));
    exchange.arrive("x");
  }
  exchange.end();  // resumes no coroutine
}

TEST(LateContent, ends_in_the_answer_of_what_the_handler_throws) {
  App app;
  app.post("/", [](Body) -> std::string { throw HttpError(Status::Conflict, "late"); });
  EXPECT_EQ(status_after(app, [](MemoryExchange& e) { e.end(); }), Status::Conflict);
}

TEST(Limits, of_a_route_reach_the_exchange_before_the_content) {
  App app;
  app.post("/small", [](Body body) { return body.bytes; }).limits({.max_body_bytes = 4});
  app.post("/default", [](Body body) { return body.bytes; });
  MemoryExchange exchange(Method::Post, "/small", {}, {}, true);
  const Reply waiting = app.service().serve(exchange);
  EXPECT_EQ(exchange.limits().max_body_bytes, 4U);
  Client client(app);
  EXPECT_EQ(client.post("/small", "1234").status, 200);
  const TestResponse answer = client.post("/small", "12345");
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  EXPECT_EQ(client.post("/default", "12345").status, 200);
}

TEST(Limits, of_all_buffered_contents_together_answer_503) {
  App app;
  app.post("/", [](Body) { return "fine"; });
  MemoryExchange exchange(Method::Post, "/", {}, {}, true);
  exchange.set_budget(3);
  exchange.arrive("12");
  exchange.arrive("34");
  exchange.end();
  Reply reply = app.service().serve(exchange);
  ASSERT_TRUE(reply.ready());
  EXPECT_EQ(reply.response().status(), Status::ServiceUnavailable);
  EXPECT_EQ(reply.response().field("retry-after"), "1");
}

TEST(Extractors, json_of_a_request_is_bound_as_json_of_a_handler) {
  App app;
  app.post("/names", [](Request& request) { return request.json<Names>().name.size(); });
  Client client(app);
  EXPECT_EQ(client.post("/names", R"({"name":["a","b"]})").body, "2");
  EXPECT_EQ(client.post("/names", R"({"name":[1]})").status, 422);
  EXPECT_THAT(client.post("/names", R"({"name":[1]})").body, HasSubstr("/name/0"));
  EXPECT_EQ(client.post("/names", "{").status, 400);
  EXPECT_EQ(client.post("/names", "").status, 400);
  EXPECT_EQ(client.post("/names", "{}", "text/plain").status, 415);
}

}  // namespace
}  // namespace tern
