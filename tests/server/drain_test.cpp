// Stopping: what is in flight ends well, and the rest goes at once.
#include "server/desk.hpp"

namespace tern::testing {
namespace {

using Drain = DeskTest;

TEST_F(Drain, ends_at_once_when_nothing_is_connected) {
  running().drain();
  running().wait();
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

}  // namespace
}  // namespace tern::testing
