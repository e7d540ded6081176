// Many requests on one connection: kept, pipelined, closed.
#include "server/test_app.hpp"

#include <thread>

namespace tern::testing {
namespace {

using KeepAlive = TestAppTest;

TEST_F(KeepAlive, answers_a_pipeline_in_order) {
  HttpClient client = this->client();
  std::string batch;
  for (int i = 0; i < 100; ++i) batch += "GET /user/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(batch);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(client.answer().body, std::to_string(i));
}

TEST_F(KeepAlive, takes_a_higher_minor_version_for_http_1_1) {
  HttpClient client = this->client();
  client.send("GET /hello HTTP/1.2\r\nHost: a\r\n\r\nGET /user/2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "Hello, World!");
  EXPECT_EQ(client.answer().body, "2");
}

TEST_F(KeepAlive, a_late_answer_in_a_pipeline_holds_back_those_behind_it) {
  HttpClient client = this->client();
  client.send(
      "GET /user/1 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /late/2 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /user/3 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /late/4 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /user/5 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "1");
  ASSERT_TRUE(test_app.gate.await());
  test_app.gate.open();
  EXPECT_EQ(client.answer().body, "2");
  EXPECT_EQ(client.answer().body, "3");
  ASSERT_TRUE(test_app.gate.await());
  test_app.gate.open();
  EXPECT_EQ(client.answer().body, "4");
  EXPECT_EQ(client.answer().body, "5");
}

TEST_F(KeepAlive, late_content_in_a_pipeline_keeps_the_order) {
  HttpClient client = this->client();
  client.send(
      "GET /user/1 HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
  EXPECT_EQ(client.answer().body, "1");
  client.send("56789GET /user/3 HTTP/1.1\r\nHost: a\r\n\r\nGET /user/4");
  EXPECT_EQ(client.answer().body, "0123456789");
  EXPECT_EQ(client.answer().body, "3");
  client.send(" HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "4");
}

TEST_F(KeepAlive, a_request_may_arrive_byte_by_byte) {
  HttpClient client = this->client();
  for (int i = 0; i < 3; ++i) {
    client.send_bytewise(
        "\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\n\r\n");
    EXPECT_EQ(client.answer().body, "abc");
  }
}

TEST_F(KeepAlive, every_cut_of_a_pipeline_gives_the_same_answers) {
  const std::string batch =
      "GET /user/1 HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
      "POST /unread HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n"
      "GET /user/4 HTTP/1.1\r\nHost: a\r\n\r\n";
  HttpClient client = this->client();
  for (std::size_t cut = 1; cut < batch.size(); ++cut) {
    client.send(std::string_view(batch).substr(0, cut));
    // The first request makes sure that the server has read up to there.
    const bool first_is_complete = cut >= batch.find("POST /echo");
    if (first_is_complete) {
      EXPECT_EQ(client.answer().body, "1") << cut;
    }
    client.send(std::string_view(batch).substr(cut));
    if (!first_is_complete) {
      EXPECT_EQ(client.answer().body, "1") << cut;
    }
    EXPECT_EQ(client.answer().body, "body") << cut;
    EXPECT_EQ(client.answer().body, "not looked at") << cut;
    EXPECT_EQ(client.answer().body, "4") << cut;
  }
}

TEST_F(KeepAlive, the_connection_ends_when_the_client_says_so) {
  HttpClient client = this->client();
  client.get("/hello", "Connection: close\r\n");
  const HttpAnswer answer = client.answer();
  EXPECT_TRUE(answer.closes());
  EXPECT_EQ(answer.body, "Hello, World!");
  EXPECT_TRUE(client.ends());
}

TEST_F(KeepAlive, nothing_is_answered_behind_the_last_request) {
  HttpClient client = this->client();
  client.send(
      "GET /user/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      "GET /user/2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "1");
  EXPECT_TRUE(client.ends());
}

TEST_F(KeepAlive, http_1_0_ends_after_the_answer) {
  HttpClient client = this->client();
  client.send("GET /hello HTTP/1.0\r\n\r\n");
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.body, "Hello, World!");
  EXPECT_EQ(answer.field("connection"), "");
  EXPECT_TRUE(client.ends());
}

TEST_F(KeepAlive, http_1_0_is_kept_when_it_asks) {
  HttpClient client = this->client();
  for (int i = 0; i < 2; ++i) {
    client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.body, "Hello, World!");
    EXPECT_EQ(answer.field("connection"), "keep-alive");
  }
}

TEST_F(KeepAlive, head_is_answered_like_get_without_the_content) {
  HttpClient client = this->client();
  client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\nHEAD /large/100000 HTTP/1.1\r\nHost: a\r\n\r\n");
  client.get("/hello");
  EXPECT_EQ(client.answer(true).field("content-length"), "13");
  EXPECT_EQ(client.answer(true).field("content-length"), "100000");
  EXPECT_EQ(client.answer().body, "Hello, World!");
}

TEST_F(KeepAlive, a_client_that_has_sent_its_end_gets_the_answers_that_wait_for_nothing) {
  HttpClient client = this->client();
  client.get("/user/1");
  client.get("/user/2");
  client.peer().shutdown_write();
  EXPECT_EQ(client.answer().body, "1");
  EXPECT_EQ(client.answer().body, "2");
  EXPECT_TRUE(client.ends());
}

TEST_F(KeepAlive, a_client_that_has_sent_its_end_gets_all_answers_with_half_close) {
  serve({.limits = {.half_close = true}});
  HttpClient client = this->client();
  client.get("/user/1");
  client.get("/late/2");
  client.get("/user/3");
  client.peer().shutdown_write();
  EXPECT_EQ(client.answer().body, "1");
  ASSERT_TRUE(test_app.gate.await());
  test_app.gate.open();
  EXPECT_EQ(client.answer().body, "2");
  EXPECT_EQ(client.answer().body, "3");
  EXPECT_TRUE(client.ends());
}

// RFC 9112, section 9.6: a close at once would be answered by a reset when the client sends on, and the reset may
// overtake the answer.
TEST_F(KeepAlive, the_last_answer_is_not_lost_to_a_client_that_sends_on) {
  constexpr std::size_t size = 60'000;  // more than the client's kernel takes, and less than ours
  const std::string target = "GET /large/" + std::to_string(size);
  for (const std::string& request :
       {target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", target + " HTTP/1.0\r\n\r\n"}) {
    HttpClient client = this->client(4096);
    const auto sends = running().counters().sends.value();
    client.send(request);
    ASSERT_TRUE(running().eventually([&] { return running().counters().sends.value() != sends; }));
    for (int i = 0; i < 3; ++i) running().on_loop([] {});
    EXPECT_TRUE(client.send("\r\n"));
    EXPECT_EQ(client.answer().body.size(), size);
    EXPECT_TRUE(client.ends());
  }
}

TEST_F(KeepAlive, an_end_within_a_head_is_no_request) {
  HttpClient client = this->client();
  client.send("GET /hello HTTP/1.1\r\nHost: a\r\n");
  client.peer().shutdown_write();
  EXPECT_TRUE(client.ends());
}

TEST_F(KeepAlive, a_batch_of_sixteen_costs_one_receive_and_one_send) {
  HttpClient client = this->client();
  client.ask("/hello");
  const auto receives = running().counters().receives.value();
  const auto sends = running().counters().sends.value();
  const auto watches = running().counters().watches.value();
  std::string batch;
  for (int i = 0; i < 16; ++i) batch += "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  for (int round = 0; round < 10; ++round) {
    client.send(batch);
    for (int i = 0; i < 16; ++i) ASSERT_EQ(client.answer().status, 200);
  }
  EXPECT_EQ(running().counters().receives.value() - receives, 10U);
  EXPECT_EQ(running().counters().sends.value() - sends, 10U);
  EXPECT_EQ(running().counters().watches.value() - watches, 0U);
}

}  // namespace
}  // namespace tern::testing
