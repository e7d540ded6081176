// Sessions: what they keep, and for how long.
#include "web/session_testing.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace tern::web {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestResponse;
using SessionsOf = SessionApp;

struct Changed {
  int name = 0;
};

TEST_F(SessionsOf, nothing_is_made_until_something_is_written) {
  const TestResponse unused = get("/plain");
  EXPECT_FALSE(unused.has("set-cookie"));
  EXPECT_FALSE(unused.has("vary"));
  const TestResponse read = get("/name");
  EXPECT_EQ(read.body, "/");
  EXPECT_FALSE(read.has("set-cookie"));
  EXPECT_EQ(store.reads, 0);
  EXPECT_EQ(store.writes, 0);
}

TEST_F(SessionsOf, a_route_without_a_session_does_not_read_the_store) {
  const std::string session = log_in("anna");
  store.reads = 0;
  EXPECT_EQ(get("/plain", session).body, "plain");
  EXPECT_EQ(store.reads, 0);
}

TEST_F(SessionsOf, the_cookie_has_safe_attributes_and_a_random_id) {
  const TestResponse response = post("/visit");
  EXPECT_EQ(response.body, "1");
  const std::string_view field = response.field("set-cookie");
  EXPECT_TRUE(field.starts_with("__Host-session="));
  for (const char* part : {"; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax", "; Max-Age=86460"}) {
    EXPECT_THAT(std::string(field), HasSubstr(part));
  }
  EXPECT_EQ(response.cookie(cookie).size(), 43U);  // 256 bits
  EXPECT_NE(response.cookie(cookie), post("/visit").cookie(cookie));
}

TEST_F(SessionsOf, the_store_does_not_have_the_id) {
  const std::string session = log_in("anna");
  ASSERT_FALSE(store.keys.empty());
  for (const std::string& key : store.keys) {
    EXPECT_THAT(key, Not(HasSubstr(session)));
    EXPECT_THAT(key, Not(HasSubstr("anna")));
  }
}

TEST_F(SessionsOf, data_is_there_in_the_next_request) {
  const std::string session(post("/visit").cookie(cookie));
  EXPECT_EQ(post("/visit", session).body, "2");
  EXPECT_EQ(get("/visits", session).body, "2");
  EXPECT_EQ(get("/visits").body, "0");
}

TEST_F(SessionsOf, what_did_not_change_is_not_written) {
  const std::string session = log_in("anna");
  store.writes = 0;
  const TestResponse response = get("/name", session);
  EXPECT_EQ(response.body, "anna/anna");
  EXPECT_FALSE(response.has("set-cookie"));
  EXPECT_EQ(store.writes, 0);
}

TEST_F(SessionsOf, responses_of_sessions_are_private_and_vary) {
  const TestResponse response = get("/name");
  EXPECT_EQ(response.field("cache-control"), "private");
  EXPECT_EQ(response.field("vary"), "Cookie");
}

TEST_F(SessionsOf, an_idle_session_ends) {
  options.idle = Seconds(1000);
  const std::string session = log_in("anna");
  client().advance(Seconds(1000));
  EXPECT_EQ(name(session), "anna/anna");
  client().advance(Seconds(1059));
  EXPECT_EQ(name(session), "anna/anna");
  client().advance(Seconds(1061));
  EXPECT_EQ(name(session), "/");
}

TEST_F(SessionsOf, requests_write_the_time_at_most_once_a_minute) {
  const std::string session = log_in("anna");
  store.writes = 0;
  for (int second = 0; second < 300; ++second) {
    client().advance(Seconds(1));
    const TestResponse response = get("/name", session);
    EXPECT_EQ(response.has("set-cookie"), second % 60 == 59) << second;
  }
  EXPECT_EQ(store.writes, 5);
}

TEST_F(SessionsOf, a_session_that_is_used_ends_too) {
  options.idle = Seconds(1000);
  options.absolute = Seconds(5000);
  const std::string session = log_in("anna");
  for (int i = 0; i < 9; ++i) {
    client().advance(Seconds(500));
    EXPECT_EQ(name(session), "anna/anna");
  }
  client().advance(Seconds(501));
  EXPECT_EQ(name(session), "/");
}

TEST_F(SessionsOf, a_login_begins_a_new_life) {
  options.absolute = Seconds(5000);
  const std::string session(post("/visit").cookie(cookie));
  client().advance(Seconds(4000));
  const std::string logged_in(post("/signin/anna", session).cookie(cookie));
  client().advance(Seconds(4000));
  EXPECT_EQ(name(logged_in), "/anna");
  EXPECT_EQ(get("/visits", logged_in).body, "1");  // login(user) keeps the data
}

TEST_F(SessionsOf, a_new_id_does_not_lengthen_the_life) {
  options.absolute = Seconds(5000);
  std::string session = log_in("anna");
  for (int i = 0; i < 4; ++i) {
    client().advance(Seconds(1200));
    session = post("/rotate", session).cookie(cookie);
    EXPECT_EQ(name(session), "anna/anna");
  }
  client().advance(Seconds(1200));
  EXPECT_EQ(name(session), "/");
}

TEST_F(SessionsOf, logging_out_removes_session_and_cookie) {
  const std::string session = log_in("anna");
  const TestResponse response = post("/logout", session);
  EXPECT_THAT(std::string(response.field("set-cookie")), HasSubstr("__Host-session=; Path=/; Max-Age=0"));
  EXPECT_EQ(name(session), "/");
}

TEST_F(SessionsOf, flashes_are_shown_once_and_in_order) {
  const std::string session(post("/flash/one").cookie(cookie));
  post("/flash/two", session);
  EXPECT_EQ(get("/flashes", session).body, "note:one note:two ");
  EXPECT_EQ(get("/flashes", session).body, "");
}

TEST_F(SessionsOf, the_cookie_can_end_with_the_browser) {
  options.until_browser_closes = true;
  const TestResponse response = post("/visit");
  EXPECT_THAT(std::string(response.field("set-cookie")), Not(HasSubstr("Max-Age")));
  client().advance(Seconds(61));
  EXPECT_FALSE(get("/visits", response.cookie(cookie)).has("set-cookie"));
}

TEST_F(SessionsOf, failed_requests_change_nothing) {
  app.post("/fail", [](Session<Visitor> session) -> Response {
    session.update([](Visitor& visitor) { ++visitor.visits; });
    throw std::runtime_error("a mistake");
  });
  app.post("/refuse", [](Session<Visitor> session) {
    session.update([](Visitor& visitor) { visitor.visits += 10; });
    return Response(Status::UnprocessableContent);
  });
  const std::string session(post("/visit").cookie(cookie));
  EXPECT_EQ(post("/fail", session).status, 500);
  EXPECT_EQ(get("/visits", session).body, "1");
  EXPECT_EQ(post("/refuse", session).status, 422);
  EXPECT_EQ(get("/visits", session).body, "11");
}

TEST_F(SessionsOf, streams_store_before_their_head_and_not_later) {
  bool refused = false;
  app.post("/stream", [&refused](Session<Visitor> session) {
    session.update([](Visitor& visitor) { ++visitor.visits; });
    return Response::stream("text/plain", [session, &refused](Writer& writer) -> Task<> {
      try {
        session.destroy();
      } catch (const std::logic_error&) {
        refused = true;
      }
      co_await writer.write("streamed");
    });
  });
  const TestResponse response = post("/stream");
  EXPECT_EQ(response.body, "streamed");
  EXPECT_TRUE(refused);
  EXPECT_EQ(get("/visits", response.cookie(cookie)).body, "1");
}

TEST_F(SessionsOf, coroutines_change_sessions_too) {
  app.post("/slow", [](Session<Visitor> session) -> Task<std::string> {
    co_await sleep_for(Seconds(1));
    session.update([](Visitor& visitor) { visitor.visits += 5; });
    co_return "slow";
  });
  const std::string session(post("/slow").cookie(cookie));
  EXPECT_EQ(get("/visits", session).body, "5");
}

TEST_F(SessionsOf, a_store_may_wait) {
  store.waits = true;
  std::string session(post("/visit").cookie(cookie));
  EXPECT_EQ(post("/visit", session).body, "2");
  session = post("/signin/anna", session).cookie(cookie);
  EXPECT_EQ(get("/visits", session).body, "2");
  EXPECT_EQ(name(session), "/anna");
  names_origin = false;
  const std::string token = get("/token", session).body;
  const FieldList form = {{"Content-Type", "application/x-www-form-urlencoded"}};
  EXPECT_EQ(send(Method::Post, "/visit", session, form, "csrf_token=" + token).body, "3");
  EXPECT_EQ(send(Method::Post, "/visit", session, form, "csrf_token=x").status, 403);
  EXPECT_EQ(send(Method::Post, "/logout", session, form, "csrf_token=" + token).status, 204);
  EXPECT_EQ(name(session), "/");
}

TEST_F(SessionsOf, websockets_have_the_session_of_their_handshake) {
  app.websocket("/socket", [](WebSocket socket, Session<Visitor> session) -> Task<> {
    const std::string name = session->name;
    co_await socket.send("hello " + name);
  });
  const std::string session = log_in("anna");
  testing::TestWebSocket socket = client().websocket("/socket", {{"cookie", std::string(cookie) + "=" + session}});
  EXPECT_EQ(socket.answer().status, 101);
  EXPECT_EQ(socket.receive_text(), "hello anna");
}

TEST_F(SessionsOf, data_of_another_shape_is_a_new_session) {
  const std::string session = log_in("anna");
  App again;
  again.use(Sessions<Changed>(options));
  again.get("/", [](Session<Changed> changed) { return changed.exists() ? "old" : "new"; });
  testing::Client other(again);
  EXPECT_EQ(other.send({Method::Get, "/", {{"cookie", std::string(cookie) + "=" + session}}}).body, "new");
}

TEST_F(SessionsOf, loopback_without_tls_can_have_a_plain_cookie) {
  options.plain_loopback = true;
  const TestResponse response = post("/visit");
  const std::string field(response.field("set-cookie"));
  EXPECT_TRUE(field.starts_with("session="));
  EXPECT_THAT(field, Not(HasSubstr("Secure")));
  const std::string pair = "session=" + std::string(response.cookie("session"));
  EXPECT_EQ(client().send({Method::Get, "/visits", {{"cookie", pair}}}).body, "1");
  testing::TestRequest from_elsewhere{Method::Get, "/visits", {{"cookie", pair}}};
  from_elsewhere.remote = "192.0.2.1";
  EXPECT_EQ(client().send(from_elsewhere).body, "0");
}

TEST_F(SessionsOf, a_handler_without_the_middleware_is_an_error_at_the_start) {
  App other;
  other.group("/in").use(Sessions<Visitor>()).get("/", [](Session<Visitor>) {});
  other.get("/out", [](Session<Visitor>) {});
  try {
    testing::Client starting(other);
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(std::string(error.what()), HasSubstr("GET '/out' needs the middleware tern::Sessions<"));
    EXPECT_THAT(std::string(error.what()), Not(HasSubstr("'/in")));
  }
}

TEST_F(SessionsOf, a_mounted_app_has_the_sessions_around_it) {
  App inner;
  inner.get("/name", [](Session<Visitor> session) { return session->name; });
  app.mount("/inner", std::move(inner));
  EXPECT_EQ(get("/inner/name", log_in("anna")).body, "anna");
}

TEST_F(SessionsOf, wrong_options_are_errors) {
  using Made = Sessions<Visitor>;
  EXPECT_THROW(Made({.idle = Seconds(0)}), SetupError);
  EXPECT_THROW(Made({.absolute = Seconds(-1)}), SetupError);
  EXPECT_THROW(Made({.cookie = "with space"}), SetupError);
  EXPECT_THROW(Made({.cookie = "__Host-"}), SetupError);
  EXPECT_THROW(Made({.cookie = std::string(65, 'x')}), SetupError);
  EXPECT_THROW(Made({.trusted_origins = {"example.org"}}), SetupError);
}

}  // namespace
}  // namespace tern::web
