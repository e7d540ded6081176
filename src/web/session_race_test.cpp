// Sessions that several requests change at the same time.
#include "web/session_testing.hpp"

#include <string>

namespace tern::web {
namespace {

using testing::TestResponse;
using RacingSessions = SessionApp;

TEST_F(RacingSessions, changes_of_both_requests_are_kept) {
  const std::string session(post("/add/first").cookie(cookie));
  store.before_write = [&] { EXPECT_EQ(post("/add/inner", session).status, 204); };
  EXPECT_EQ(post("/add/outer", session).status, 204);
  EXPECT_EQ(get("/basket", session).body, R"(["first","inner","outer"])");
}

TEST_F(RacingSessions, counters_count_every_request) {
  const std::string session(post("/visit").cookie(cookie));
  for (int i = 0; i < 10; ++i) {
    store.before_write = [&] { post("/visit", session); };
    post("/visit", session);
  }
  EXPECT_EQ(get("/visits", session).body, "21");
}

TEST_F(RacingSessions, a_replacement_that_would_hide_a_change_is_a_conflict) {
  const std::string session(post("/visit").cookie(cookie));
  store.before_write = [&] { post("/visit", session); };
  EXPECT_EQ(post("/set/anna", session).status, 409);
  EXPECT_EQ(get("/visits", session).body, "2");
  EXPECT_EQ(post("/set/anna", session).status, 204);
}

TEST_F(RacingSessions, a_replacement_is_no_conflict_with_a_flash) {
  const std::string session(post("/visit").cookie(cookie));
  store.before_write = [&] { post("/flash/hello", session); };
  EXPECT_EQ(post("/set/anna", session).status, 204);
  EXPECT_EQ(name(session), "anna/");
  EXPECT_EQ(get("/flashes", session).body, "note:hello ");
}

TEST_F(RacingSessions, a_flash_that_comes_while_others_are_taken_is_kept) {
  const std::string session(post("/flash/one").cookie(cookie));
  store.before_write = [&] { post("/flash/two", session); };
  EXPECT_EQ(get("/flashes", session).body, "note:one ");
  EXPECT_EQ(get("/flashes", session).body, "note:two ");
}

TEST_F(RacingSessions, two_logins_get_a_session_each_and_the_old_one_ends) {
  const std::string before(post("/visit").cookie(cookie));
  std::string inner;
  store.before_erase = [&] { inner = log_in("eve", before); };
  const std::string outer = log_in("anna", before);
  EXPECT_NE(inner, outer);
  EXPECT_EQ(name(inner), "eve/eve");
  EXPECT_EQ(name(outer), "anna/anna");
  EXPECT_EQ(name(before), "/");
  EXPECT_EQ(get("/visits", before).body, "0");
}

TEST_F(RacingSessions, a_change_does_not_bring_a_session_back_that_was_logged_out) {
  const std::string session = log_in("anna");
  store.before_write = [&] { post("/logout", session); };
  EXPECT_EQ(post("/visit", session).status, 409);
  EXPECT_EQ(name(session), "/");
}

TEST_F(RacingSessions, a_new_id_does_not_bring_a_session_back_that_was_logged_out) {
  const std::string session = log_in("anna");
  store.before_erase = [&] { post("/logout", session); };
  const TestResponse response = post("/rotate", session);
  EXPECT_EQ(response.status, 409);
  EXPECT_FALSE(response.has("set-cookie"));
}

TEST_F(RacingSessions, a_new_id_keeps_the_change_of_another_request) {
  const std::string session = log_in("anna");
  store.before_erase = [&] { post("/visit", session); };
  const std::string renewed(post("/rotate", session).cookie(cookie));
  EXPECT_EQ(get("/visits", renewed).body, "1");
}

TEST_F(RacingSessions, a_login_that_races_the_end_of_all_sessions_ends) {
  log_in("anna");
  store.before_write = [&] { post("/end/anna"); };
  const std::string session = log_in("anna");
  EXPECT_EQ(name(session), "/");
}

TEST_F(RacingSessions, a_request_that_only_reads_has_no_conflict) {
  const std::string session = log_in("anna");
  client().advance(Seconds(61));
  store.before_write = [&] { post("/visit", session); };
  const TestResponse response = get("/name", session);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(get("/visits", session).body, "1");
}

}  // namespace
}  // namespace tern::web
