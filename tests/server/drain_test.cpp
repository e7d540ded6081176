// The drain: requests in flight are completed, idle connections are closed.
#include "server/test_app.hpp"

namespace tern::testing {
namespace {

using Drain = TestAppTest;

TEST_F(Drain, ends_at_once_when_nothing_is_connected) {
  running().drain();
  running().wait();
}

TEST_F(Drain, lets_half_a_head_become_a_request) {
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  const auto receives = running().counters().receives.value();
  client.send("GET /hel");
  ASSERT_TRUE(running().eventually([&] { return running().counters().receives.value() != receives; }));
  running().drain();
  running().on_loop([] {});
  client.send("lo HTTP/1.1\r\nHost: a\r\n\r\n");
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.body, "Hello, World!");
  EXPECT_TRUE(answer.closes());
}

// A request that has reached the machine before the drain is answered, although the loop has not read it yet.
TEST_F(Drain, answers_what_an_idle_connection_has_just_sent) {
  serve({.drain_idle = Milliseconds(0)});
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().on_loop([&] {
    client.get("/user/7");
    running().drain();
  });
  EXPECT_EQ(client.answer().body, "7");
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, answers_connections_that_wait_in_the_queue) {
  RunningServer& server = running();
  std::vector<HttpClient> clients;
  server.on_loop([&] {
    for (int i = 0; i < 20; ++i) {
      clients.push_back(client());
      clients.back().get("/user/" + std::to_string(i));
    }
    server.drain();
  });
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const HttpAnswer answer = clients[i].answer();
    EXPECT_EQ(answer.body, std::to_string(i));
    EXPECT_TRUE(answer.closes());
    EXPECT_TRUE(clients[i].ends());
  }
}

TEST_F(Drain, gives_a_connection_from_the_queue_a_moment_for_its_request) {
  RunningServer& server = running();
  std::optional<HttpClient> late;
  server.on_loop([&] {
    late.emplace(client());
    server.drain();
  });
  server.on_loop([] {});
  late->get("/hello");
  EXPECT_EQ(late->answer().body, "Hello, World!");
}

TEST_F(Drain, ends_although_a_new_connection_says_nothing) {
  HttpClient client = this->client();
  running().drain(Seconds(600));
  running().wait();
  EXPECT_TRUE(client.ends());
}

// Every request that has arrived is answered, and only the last answer says that no more will be.
TEST_F(Drain, answers_a_whole_pipeline) {
  HttpClient client = this->client();
  client.get("/late/1");
  client.get("/user/2");
  client.get("/user/3");
  ASSERT_TRUE(test_app.gate.await());
  running().drain();
  running().on_loop([] {});
  test_app.gate.open();
  for (const bool last : {false, false, true}) EXPECT_EQ(client.answer().closes(), last);
  EXPECT_TRUE(client.ends());
}

// The queue is full behind the first answer: the second request is kept, and goes on when the first has been sent.
TEST_F(Drain, answers_a_request_behind_an_answer_that_waits_for_the_client) {
  HttpClient client = this->client();
  client.get("/large/10000000");
  client.get("/user/2");
  ASSERT_TRUE(running().eventually([this] { return running().counters().sends.value() != 0; }));
  running().drain();
  running().on_loop([] {});
  EXPECT_EQ(client.answer().body.size(), 10'000'000U);
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(answer.body, "2");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, cuts_off_a_client_that_pipelines_without_an_end) {
  HttpClient client = this->client();
  client.get("/late/1");
  ASSERT_TRUE(test_app.gate.await());
  std::string batch;
  for (int i = 0; i < 1500; ++i) batch += "GET /user/1 HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(batch);
  running().drain();
  running().on_loop([] {});
  test_app.gate.open();
  int answers = 1;
  while (!client.answer().closes()) ++answers;
  EXPECT_EQ(answers, 1001);
}

TEST_F(Drain, answers_a_request_that_arrives_a_moment_later) {
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().drain();
  running().on_loop([] {});
  const HttpAnswer answer = client.ask("/user/7");
  EXPECT_EQ(answer.body, "7");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, a_request_whose_first_bytes_arrived_in_time_may_take_longer) {
  serve({.drain_idle = Milliseconds(200)});
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().drain();
  const std::uint64_t start = running().on_loop([this] { return running().worker().loop().now(); });
  client.send("GET /user/7 HT");
  ASSERT_TRUE(running().eventually([&] { return running().worker().loop().now() > start + 300; }));
  client.send("TP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "7");
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, closes_idle_connections_soon) {
  serve({.drain_idle = Milliseconds(1)});
  HttpClient client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().drain(Seconds(600));
  EXPECT_TRUE(client.ends());
  running().wait();
}

}  // namespace
}  // namespace tern::testing
