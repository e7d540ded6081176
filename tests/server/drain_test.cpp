// Stopping: what is in flight ends well, and the rest goes at once.
#include "server/desk.hpp"

namespace tern::testing {
namespace {

using Drain = DeskTest;

TEST_F(Drain, ends_at_once_when_nothing_is_connected) {
  running().drain();
  running().wait();
}

TEST_F(Drain, closes_idle_connections_at_once) {
  Client client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().drain();
  running().wait();  // although the client keeps its side open
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, lets_a_busy_connection_answer_and_says_that_it_closes) {
  Client client = this->client();
  client.get("/late/answer");
  ASSERT_TRUE(desk.gate.await());
  running().drain();
  running().on_loop([] {});
  desk.gate.open();
  const Answer answer = client.answer();
  EXPECT_EQ(answer.body, "answer");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
  client.peer().close();
  running().wait();
}

TEST_F(Drain, lets_content_arrive) {
  Client client = this->client();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
  ASSERT_TRUE(running().eventually([this] { return running().worker().exchanges_in_use() == 1; }));
  running().drain();
  running().on_loop([] {});
  client.send("56789");
  const Answer answer = client.answer();
  EXPECT_EQ(answer.body, "0123456789");
  EXPECT_TRUE(answer.closes());
}

TEST_F(Drain, lets_half_a_head_become_a_request) {
  Client client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  const auto receives = running().counters().receives.value();
  client.send("GET /hel");
  ASSERT_TRUE(running().eventually([&] { return running().counters().receives.value() != receives; }));
  running().drain();
  running().on_loop([] {});
  client.send("lo HTTP/1.1\r\nHost: a\r\n\r\n");
  const Answer answer = client.answer();
  EXPECT_EQ(answer.body, "Hello, World!");
  EXPECT_TRUE(answer.closes());
}

TEST_F(Drain, lets_a_large_answer_be_read_to_its_end) {
  Client client = this->client(64 * 1024);
  client.get("/large/10000000");
  ASSERT_TRUE(running().eventually([this] { return running().counters().sends.value() > 0; }));
  running().drain();
  running().on_loop([] {});
  EXPECT_TRUE(client.answer().body == pattern(10'000'000));
  EXPECT_TRUE(client.ends());
}

// A request that has reached the machine before the drain is answered, although the loop has not read it yet.
TEST_F(Drain, answers_what_an_idle_connection_has_just_sent) {
  Client client = this->client();
  EXPECT_EQ(client.ask("/hello").status, 200);
  running().on_loop([&] {
    client.get("/user/7");
    running().drain();
  });
  EXPECT_EQ(client.answer().body, "7");
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, answers_connections_that_wait_in_the_queue) {
  Running& server = running();
  std::vector<Client> clients;
  server.on_loop([&] {
    for (int i = 0; i < 20; ++i) {
      clients.push_back(client());
      clients.back().get("/user/" + std::to_string(i));
    }
    server.drain();
  });
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const Answer answer = clients[i].answer();
    EXPECT_EQ(answer.body, std::to_string(i));
    EXPECT_TRUE(answer.closes());
    EXPECT_TRUE(clients[i].ends());
  }
}

TEST_F(Drain, gives_a_connection_from_the_queue_a_moment_for_its_request) {
  Running& server = running();
  std::optional<Client> late;
  server.on_loop([&] {
    late.emplace(client());
    server.drain();
  });
  server.on_loop([] {});
  late->get("/hello");
  EXPECT_EQ(late->answer().body, "Hello, World!");
}

TEST_F(Drain, ends_although_a_new_connection_says_nothing) {
  Client client = this->client();
  running().drain(Seconds(600));
  running().wait();
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, a_pipeline_ends_with_the_answer_that_says_so) {
  Client client = this->client();
  client.get("/late/1");
  client.get("/user/2");
  ASSERT_TRUE(desk.gate.await());
  running().drain();
  running().on_loop([] {});
  desk.gate.open();
  const Answer answer = client.answer();
  EXPECT_EQ(answer.body, "1");
  EXPECT_TRUE(answer.closes());
  EXPECT_TRUE(client.ends());
}

TEST_F(Drain, gives_up_a_handler_that_does_not_end_in_time) {
  Client client = this->client();
  client.get("/stopped");
  ASSERT_TRUE(desk.gate.await());
  running().drain(Milliseconds(50));
  running().wait();
  EXPECT_TRUE(client.is_gone());
}

TEST_F(Drain, a_later_call_may_shorten_it) {
  Client client = this->client();
  client.get("/late/1");
  ASSERT_TRUE(desk.gate.await());
  running().drain(Seconds(600));
  running().drain(Milliseconds(0));
  running().wait();
  EXPECT_TRUE(client.is_gone());
}

TEST_F(Drain, a_later_call_does_not_lengthen_it) {
  Client client = this->client();
  client.get("/late/1");
  ASSERT_TRUE(desk.gate.await());
  running().drain(Milliseconds(50));
  running().drain(Seconds(600));
  running().wait();
}

TEST_F(Drain, a_handler_whose_client_has_gone_is_waited_for) {
  {
    Client client = this->client();
    client.get("/stopped");
    ASSERT_TRUE(desk.gate.await());
    client.peer().reset();
  }
  ASSERT_TRUE(running().eventually([this] { return running().worker().loop().streams() == 0; }));
  running().drain();
  running().on_loop([] {});
  desk.gate.open();
  running().wait();
  EXPECT_TRUE(desk.stopped);
}

TEST_F(Drain, several_loops_end) {
  serve({}, 4);
  std::vector<Client> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(client());
    EXPECT_EQ(clients.back().ask("/hello").status, 200);
  }
  running().drain();
  running().wait();
  for (Client& each : clients) EXPECT_TRUE(each.ends());
}

}  // namespace
}  // namespace tern::testing
