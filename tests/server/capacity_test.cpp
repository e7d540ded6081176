// More clients than there is room for.
#include "server/test_app.hpp"

#include <sys/resource.h>

namespace tern::testing {
namespace {

using Capacity = TestAppTest;

TEST_F(Capacity, clients_past_the_limit_wait_until_one_disconnects) {
  serve({.connections = 3});
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(client());
    EXPECT_EQ(clients.back().ask("/hello").status, 200);
  }
  HttpClient waiting = client();
  waiting.get("/hello");
  EXPECT_EQ(clients[0].ask("/hello").status, 200);
  EXPECT_EQ(running().counters().accepts.value(), 3U);
  clients[1].peer().close();
  EXPECT_EQ(waiting.answer().status, 200);
}

TEST_F(Capacity, is_given_back_again_and_again) {
  serve({.connections = 2}, 2);
  for (int i = 0; i < 200; ++i) {
    HttpClient first = client();
    HttpClient second = client();
    HttpClient third = client();
    third.get("/hello");
    first.peer().close();
    second.peer().close();
    EXPECT_EQ(third.answer().status, 200);
  }
}

TEST_F(Capacity, those_who_wait_are_answered_by_a_drain) {
  serve({.connections = 1});
  HttpClient first = client();
  EXPECT_EQ(first.ask("/hello").status, 200);
  HttpClient second = client();
  second.get("/user/2");
  running().drain();
  EXPECT_EQ(second.answer().body, "2");
  EXPECT_TRUE(second.ends());
}

TEST_F(Capacity, no_descriptors_left_is_waited_out_without_spinning) {
  HttpClient served = client();
  EXPECT_EQ(served.ask("/hello").status, 200);
  std::vector<HttpClient> waiting;
  for (int i = 0; i < 3; ++i)
    waiting.push_back(HttpClient(net::Peer(net::Descriptor(::socket(AF_INET, SOCK_STREAM, 0)))));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(waiting.back().peer().number()) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);

  sockaddr_storage address;
  const socklen_t length = net::Address::parse("127.0.0.1", running().port())->to(address);
  for (HttpClient& each : waiting) {
    ASSERT_EQ(::connect(each.peer().number(), reinterpret_cast<const sockaddr*>(&address), length), 0);
    each.get("/hello");
  }
  const auto rounds = running().counters().iterations.value();
  const int asked = 200;
  for (int i = 0; i < asked; ++i) EXPECT_EQ(served.ask("/hello").status, 200);
  // One round for each request, one for each tenth of a second, and a few.
  EXPECT_LT(running().counters().iterations.value() - rounds, static_cast<std::uint64_t>(asked) * 2);
  EXPECT_EQ(running().counters().accepts.value(), 1U);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (HttpClient& each : waiting) EXPECT_EQ(each.answer().status, 200);
}

}  // namespace
}  // namespace tern::testing
