// Sessions against the attacks that they are known for.
#include "web/session_record.hpp"
#include "web/session_testing.hpp"

#include <gmock/gmock.h>

#include <string>

namespace tern::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestResponse;
using AttackedSessions = SessionApp;

TEST_F(AttackedSessions, an_id_chosen_by_the_client_is_not_taken) {
  const std::string chosen(43, 'A');
  const std::string session(post("/visit", chosen).cookie(cookie));
  EXPECT_NE(session, chosen);
  EXPECT_EQ(session.size(), 43U);
  EXPECT_EQ(get("/visits", chosen).body, "0");
}

TEST_F(AttackedSessions, fixation_ends_with_the_login) {
  const std::string attacker(post("/visit").cookie(cookie));  // planted in the victim's browser
  const std::string victim = log_in("anna", attacker);
  EXPECT_NE(victim, attacker);
  EXPECT_EQ(name(victim), "anna/anna");
  EXPECT_EQ(name(attacker), "/");
  EXPECT_EQ(get("/visits", attacker).body, "0");
}

TEST_F(AttackedSessions, a_session_cannot_be_replayed_after_logout) {
  const std::string session = log_in("anna");
  post("/logout", session);
  EXPECT_EQ(name(session), "/");
  EXPECT_NE(post("/visit", session).cookie(cookie), session);
}

TEST_F(AttackedSessions, two_cookies_of_the_name_are_none) {
  const std::string victim = log_in("anna");
  const std::string attacker = log_in("eve");
  for (const std::string& pair : {attacker + "; __Host-session=" + victim, victim + "; __Host-session=" + attacker}) {
    EXPECT_EQ(name(pair), "/");
  }
  EXPECT_EQ(name(victim + "; __Host-session=" + victim), "anna/anna");
}

TEST_F(AttackedSessions, malformed_cookies_are_none) {
  const std::string session = log_in("anna");
  store.reads = 0;
  for (const std::string& value : {std::string("x"), session.substr(1), session + "A", std::string(4000, 'A')}) {
    EXPECT_EQ(name(value), "/");
  }
  EXPECT_EQ(store.reads, 0);
}

TEST_F(AttackedSessions, all_sessions_of_a_user_end_at_once) {
  const std::string first = log_in("anna");
  const std::string other_one = log_in("anna");
  const std::string other = log_in("berta");
  EXPECT_EQ(post("/end/anna", first).status, 204);
  EXPECT_EQ(name(first), "/");
  EXPECT_EQ(name(other_one), "/");
  EXPECT_EQ(name(other), "berta/berta");
  EXPECT_EQ(name(log_in("anna")), "anna/anna");
  EXPECT_EQ(name(first), "/");
}

TEST_F(AttackedSessions, a_store_that_fails_is_503_and_the_reason_is_logged) {
  const std::string session = log_in("anna");
  store.fails = true;
  for (const TestResponse& response : {get("/name", session), post("/visit"), post("/logout", session)}) {
    EXPECT_EQ(response.status, 503);
    EXPECT_TRUE(response.has("retry-after"));
    EXPECT_THAT(response.body, HasSubstr("sessions are unavailable"));
    EXPECT_THAT(response.body, Not(HasSubstr("away")));
    EXPECT_FALSE(response.has("set-cookie"));
  }
  EXPECT_THAT(client().reports().back(), HasSubstr("the store is away"));
  EXPECT_EQ(get("/plain", session).body, "plain");
  store.fails = false;
  EXPECT_EQ(name(session), "anna/anna");
}

TEST_F(AttackedSessions, a_write_that_fails_is_503) {
  const std::string session = log_in("anna");
  store.fails_to_write = true;
  EXPECT_EQ(post("/visit", session).status, 503);
  store.fails_to_write = false;
  EXPECT_EQ(get("/visits", session).body, "0");
}

TEST_F(AttackedSessions, a_flood_of_sessions_has_bounded_memory) {
  MemoryStore small({.max_bytes = 256 * 1024});
  options.store = &small;
  const std::string kept = log_in("anna");
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(post("/visit").status, 200);
    if (i % 20 == 0) {
      ASSERT_EQ(name(kept), "anna/anna") << i;
    }
  }
  EXPECT_LE(small.bytes(), 256U * 1024U);
}

// --- Cross-site request forgery ---

TEST_F(AttackedSessions, requests_of_other_origins_are_refused) {
  names_origin = false;
  const std::string session = log_in("anna");
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"Sec-Fetch-Site", "same-site"}}).status, 403);
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"Origin", "https://evil.example"}}).status, 403);
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"Origin", "null"}}).status, 403);
  EXPECT_EQ(send(Method::Post, "/visit", {}, {{"Origin", "https://evil.example"}}).status, 403);
  EXPECT_EQ(send(Method::Get, "/visits", session, {{"Sec-Fetch-Site", "cross-site"}}).body, "0");
}

TEST_F(AttackedSessions, without_origin_a_session_needs_its_token) {
  names_origin = false;
  const std::string session = log_in("anna");
  const std::string other = log_in("eve");
  const std::string token = get("/token", session).body;
  EXPECT_EQ(post("/visit", session).status, 403);
  EXPECT_EQ(post("/plain", session).status, 403);
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"X-CSRF-Token", token}}).body, "1");
  EXPECT_EQ(send(Method::Post, "/plain", session, {{"X-CSRF-Token", token}}).body, "posted");
  EXPECT_EQ(send(Method::Post, "/visit", other, {{"X-CSRF-Token", token}}).status, 403);
  for (const std::string& wrong : {std::string("x"), token.substr(1), token + "A", std::string(86, 'A')}) {
    EXPECT_EQ(send(Method::Post, "/visit", session, {{"X-CSRF-Token", wrong}}).status, 403);
  }
  EXPECT_EQ(post("/visit").body, "1");                        // no session
  EXPECT_EQ(post("/visit", std::string(43, 'A')).body, "1");  // nor here
}

TEST_F(AttackedSessions, a_form_has_the_token_and_its_handler_gets_the_form) {
  struct Note {
    std::string text;
  };
  app.post("/note", [](Form<Note> note) { return note->text; });
  names_origin = false;
  const std::string session = log_in("anna");
  const std::string token = get("/token", session).body;
  const FieldList form = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}};
  EXPECT_EQ(send(Method::Post, "/note", session, form, "text=hello&csrf_token=" + token).body, "hello");
  EXPECT_EQ(send(Method::Post, "/note", session, form, "text=hello").status, 403);
  EXPECT_EQ(send(Method::Post, "/note", session, form, "text=hello&csrf_token=" + token.substr(1)).status, 403);
  const FieldList json = {{"Content-Type", "application/json"}};
  EXPECT_EQ(send(Method::Post, "/note", session, json, "csrf_token=" + token).status, 403);
}

TEST_F(AttackedSessions, tokens_differ_each_time_and_end_with_the_id) {
  names_origin = false;
  const std::string session = log_in("anna");
  const std::string token = get("/token", session).body;
  EXPECT_NE(get("/token", session).body, token);
  const std::string renewed(send(Method::Post, "/rotate", session, {{"X-CSRF-Token", token}}).cookie(cookie));
  EXPECT_EQ(send(Method::Post, "/visit", renewed, {{"X-CSRF-Token", token}}).status, 403);
}

TEST_F(AttackedSessions, a_token_after_a_login_is_of_the_new_id) {
  const TestResponse page = post("/login-page/anna", log_in("anna"));
  names_origin = false;
  EXPECT_EQ(send(Method::Post, "/visit", page.cookie(cookie), {{"X-CSRF-Token", page.body}}).body, "1");
}

TEST_F(AttackedSessions, a_page_for_a_new_client_begins_a_session_for_its_token) {
  names_origin = false;
  const TestResponse page = get("/token");
  const std::string session(page.cookie(cookie));
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"X-CSRF-Token", page.body}}).body, "1");
}

// --- Sessions in encrypted cookies ---

class SessionsInCookies : public SessionApp {
protected:
  SessionsInCookies() {
    options.store = nullptr;
    options.keys = KeyRing({std::string(32, 'k')});
  }
  std::string visited(std::string_view session) { return get("/visits", session).body; }
};

TEST_F(SessionsInCookies, keep_data_without_a_store) {
  const std::string first(post("/visit").cookie(cookie));
  EXPECT_THAT(first, Not(HasSubstr("visits")));
  const std::string other_one(post("/visit", first).cookie(cookie));
  EXPECT_EQ(visited(other_one), "2");
  EXPECT_FALSE(get("/visits", other_one).has("set-cookie"));
  const std::string anna = log_in("anna", other_one);
  EXPECT_EQ(name(anna), "anna/anna");
}

TEST_F(SessionsInCookies, forged_truncated_and_foreign_ones_are_none) {
  const std::string session = log_in("anna");
  for (std::size_t i = 0; i < session.size(); i += 7) {
    std::string changed = session;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(name(changed), "/") << i;
    EXPECT_EQ(name(session.substr(0, i)), "/") << i;
  }
  const KeyRing unknown({std::string(32, 'u')});
  SessionRecord record;
  record.user = "anna";
  record.begun = record.seen = 99'999'999'999;
  record.data = json::to_string(Visitor());
  const std::string bytes = to_bytes(record);
  EXPECT_EQ(name(unknown.encrypt("session:__Host-session", bytes)), "/");
  EXPECT_EQ(name(options.keys->sign("session:__Host-session", bytes)), "/");
}

TEST_F(SessionsInCookies, other_cookies_of_the_key_ring_are_none) {
  const KeyRing& keys = *options.keys;
  SessionRecord record;
  record.user = "anna";
  record.begun = record.seen = 99'999'999'999;
  record.data = json::to_string(Visitor());
  const std::string bytes = to_bytes(record);
  EXPECT_EQ(name(keys.encrypt("session:__Host-session", bytes)), "/anna");
  EXPECT_EQ(name(keys.encrypt("session:other", bytes)), "/");
  EXPECT_EQ(name(encrypted_cookie(keys, {.name = "__Host-session", .value = bytes}).value), "/");
}

TEST_F(SessionsInCookies, a_replayed_one_ends_when_the_session_does) {
  options.idle = Seconds(1000);
  options.absolute = Seconds(3000);
  const std::string old = log_in("anna");
  std::string session = old;
  for (int i = 0; i < 5; ++i) {
    client().advance(Seconds(500));
    session = get("/name", session).cookie(cookie);
    EXPECT_EQ(name(session), "anna/anna");
  }
  EXPECT_EQ(name(old), "/");  // idle since the login
  client().advance(Seconds(501));
  EXPECT_EQ(name(session), "/");
}

TEST_F(SessionsInCookies, a_store_ends_all_of_a_user) {
  options.store = &store;
  const std::string first = log_in("anna");
  const std::string other = log_in("berta");
  EXPECT_EQ(post("/end/anna", first).status, 204);
  EXPECT_EQ(name(first), "/");
  EXPECT_EQ(name(other), "berta/berta");
  EXPECT_EQ(name(log_in("anna")), "anna/anna");
}

TEST_F(SessionsInCookies, without_a_store_that_is_an_error) {
  EXPECT_EQ(post("/end/anna").status, 500);
  EXPECT_THAT(client().reports().back(), HasSubstr("need a store"));
}

TEST_F(SessionsInCookies, one_that_browsers_would_ignore_is_an_error) {
  app.post("/large", [](Session<Visitor> session) { session.set({.name = std::string(4000, 'x')}); });
  const TestResponse response = post("/large");
  EXPECT_EQ(response.status, 500);
  EXPECT_FALSE(response.has("set-cookie"));
  EXPECT_THAT(client().reports().back(), HasSubstr("does not fit into a cookie"));
}

TEST_F(SessionsInCookies, new_keys_read_old_ones) {
  const std::string session = log_in("anna");
  SessionOptions rotated = options;
  rotated.keys = KeyRing({std::string(32, 'n'), std::string(32, 'k')});
  App again;
  again.use(Sessions<Visitor>(rotated));
  again.get("/", [](Session<Visitor> known) { return known->name; });
  testing::Client other(again);
  EXPECT_EQ(other.send({Method::Get, "/", {{"cookie", std::string(cookie) + "=" + session}}}).body, "anna");
}

TEST_F(SessionsInCookies, tokens_protect_them_too) {
  names_origin = false;
  const std::string session = log_in("anna");
  EXPECT_EQ(post("/visit", session).status, 403);
  const std::string token = get("/token", session).body;
  EXPECT_EQ(send(Method::Post, "/visit", session, {{"X-CSRF-Token", token}}).body, "1");
}

}  // namespace
}  // namespace tern::web
