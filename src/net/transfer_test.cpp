// Streams behind a real listener, clients outside of the loop's thread: TCP over IPv4 and IPv6, and Unix sockets.
#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace tern::net {
namespace {

std::string socket_path(const char* name) {
  return "/tmp/tern-net-" + std::to_string(::getpid()) + '-' + name;
}

constexpr auto long_enough = std::chrono::seconds(20);

void expect_echo(Peer peer) {
  ASSERT_TRUE(peer);
  ASSERT_TRUE(peer.send("hello"));
  EXPECT_EQ(peer.receive(5), "hello");
  ASSERT_TRUE(peer.send("again"));
  peer.shutdown_write();
  EXPECT_EQ(peer.receive_all(), "again");
}

TEST(Transfer, echoes_over_ipv4_and_knows_the_peer) {
  TestServer server;
  EXPECT_NE(server.address.port(), 0);
  expect_echo(Peer::connect(server.address));
  server.thread.on_loop([&] {
    EXPECT_EQ(server.last_remote.host(), "127.0.0.1");
    EXPECT_NE(server.last_remote.port(), 0);
    EXPECT_EQ(server.loop().counters().accepts.value(), 1U);
  });
}

TEST(Transfer, echoes_over_ipv6) {
  if (!listen({.host = "::1", .port = 0})) GTEST_SKIP() << "no IPv6 here";
  TestServer server({.host = "::1", .port = 0});
  expect_echo(Peer::connect(server.address));
}

TEST(Transfer, serves_ipv4_at_the_ipv6_wildcard) {
  if (!listen({.host = "::", .port = 0})) GTEST_SKIP() << "no IPv6 here";
  TestServer server({.host = "::", .port = 0});
  expect_echo(Peer::connect(*Address::parse("127.0.0.1", server.address.port())));
  server.thread.on_loop([&] { EXPECT_EQ(server.last_remote.host(), "127.0.0.1"); });
}

TEST(Transfer, echoes_over_a_unix_socket) {
  const std::string path = socket_path("echo");
  TestServer server(ListenOptions{.path = path});
  expect_echo(Peer::connect(path));
  server.thread.on_loop([&] { EXPECT_EQ(server.last_remote.family(), Address::Family::Unix); });
}

TEST(Transfer, moves_megabytes_in_both_directions_at_once) {
  TestServer server;
  Peer peer = Peer::connect(server.address);
  const std::string bytes = varied_bytes(20'000'000);
  std::thread writer([&] {
    EXPECT_TRUE(peer.send(bytes));
    peer.shutdown_write();
  });
  const std::string echoed = peer.receive_all();
  writer.join();
  EXPECT_TRUE(echoed == bytes);
}

// The echoing handler stops reading while more than a bound waits to be sent.
TEST(Transfer, slows_the_writer_down_when_the_peer_does_not_read) {
  constexpr std::size_t bound = 256 * 1024;
  std::atomic<std::size_t> most = 0;
  std::atomic<int> pauses = 0;
  TestServer server([&](TestConnection& connection) {
    connection.bytes_hook = [&](TestConnection& self, std::string_view bytes) {
      self.stream.send(bytes);
      if (self.stream.unsent() > most) most = self.stream.unsent();
      if (self.stream.unsent() > bound) {
        ++pauses;
        self.stream.pause();
      }
      return bytes.size();
    };
    connection.sent_hook = [](TestConnection& self) {
      self.stream.resume();
      if (self.stream.ended()) self.stream.close();
    };
  });
  Peer peer = Peer::connect(server.address, 16 * 1024);
  const std::string bytes = varied_bytes(30'000'000);
  std::thread writer([&] {
    EXPECT_TRUE(peer.send(bytes));
    peer.shutdown_write();
  });
  std::string echoed;
  for (std::string some = peer.receive_some(5'000); !some.empty(); some = peer.receive_some(50'000)) echoed += some;
  writer.join();
  EXPECT_TRUE(echoed == bytes);
  EXPECT_GT(pauses, 0);
  EXPECT_LE(most, bound + 256 * 1024);
}

TEST(Transfer, goes_on_sending_after_the_peer_has_ended_its_side) {
  const std::string answer = varied_bytes(5'000'000);
  TestServer server([&](TestConnection& connection) {
    connection.bytes_hook = [](TestConnection&, std::string_view bytes) { return bytes.size(); };
    connection.end_hook = [&](TestConnection& self) {
      self.stream.send(answer);
      self.stream.shutdown_write();
      if (self.stream.unsent() == 0) self.stream.close();
    };
  });
  Peer peer = Peer::connect(server.address);
  ASSERT_TRUE(peer.send("a question"));
  peer.shutdown_write();
  EXPECT_TRUE(peer.receive_all() == answer);
  EXPECT_FALSE(server.first_closed.get_future().get());
}

TEST(Transfer, notices_a_reset) {
  TestServer server;
  Peer peer = Peer::connect(server.address);
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive(1), "x");
  peer.reset();
  auto closed = server.first_closed.get_future();
  ASSERT_EQ(closed.wait_for(long_enough), std::future_status::ready);
  EXPECT_EQ(closed.get(), std::errc::connection_reset);
}

TEST(Transfer, notices_a_reset_while_paused) {
  TestServer server([](TestConnection& connection) {
    connection.bytes_hook = [](TestConnection& self, std::string_view) -> std::size_t {
      self.stream.pause();
      self.stream.send("paused");
      return 0;
    };
  });
  Peer peer = Peer::connect(server.address);
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive(6), "paused");
  ASSERT_TRUE(peer.send("more"));  // the stream is disarmed by this, at the latest
  server.thread.on_loop([] {});
  peer.reset();
  auto closed = server.first_closed.get_future();
  ASSERT_EQ(closed.wait_for(long_enough), std::future_status::ready);
  EXPECT_EQ(closed.get(), std::errc::connection_reset);
}

TEST(Transfer, notices_a_reset_after_the_peer_has_ended_its_side) {
  std::promise<void> ended;
  TestServer server(
      [&](TestConnection& connection) { connection.end_hook = [&](TestConnection&) { ended.set_value(); }; });
  Peer peer = Peer::connect(server.address);
  peer.shutdown_write();
  ended.get_future().wait();
  peer.reset();
  auto closed = server.first_closed.get_future();
  ASSERT_EQ(closed.wait_for(long_enough), std::future_status::ready);
  EXPECT_EQ(closed.get(), std::errc::broken_pipe);  // what the kernel makes of a reset in this state
}

TEST(Transfer, aborts_with_a_reset) {
  TestServer server([](TestConnection& connection) {
    connection.bytes_hook = [](TestConnection& self, std::string_view bytes) {
      self.stream.abort();
      return bytes.size();
    };
  });
  Peer peer = Peer::connect(server.address);
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive_some(), "");
  EXPECT_EQ(peer.error(), ECONNRESET);
  EXPECT_FALSE(server.first_closed.get_future().get());
}

TEST(Transfer, serves_a_thousand_connections) {
  TestServer server;
  std::vector<Peer> peers;
  for (int i = 0; i < 1000; ++i) {
    peers.push_back(Peer::connect(server.address));
    ASSERT_TRUE(peers.back());
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (Peer& peer : peers) ASSERT_TRUE(peer.send("ping"));
    for (Peer& peer : peers) ASSERT_EQ(peer.receive(4), "ping");
  }
  server.thread.on_loop([&] {
    EXPECT_EQ(server.loop().streams(), 1000U);
    EXPECT_EQ(server.loop().counters().receives.value(), 3000U);
    EXPECT_EQ(server.loop().counters().sends.value(), 3000U);
    EXPECT_EQ(server.loop().counters().watches.value(), 1001U) << "registered once";
  });
}

TEST(Transfer, survives_clients_that_leave_in_every_way) {
  TestServer server;
  for (int i = 0; i < 400; ++i) {
    Peer peer = Peer::connect(server.address);
    ASSERT_TRUE(peer);
    if (i % 4 != 0) peer.send("something");
    if (i % 3 == 0) peer.shutdown_write();
    if (i % 5 == 0 && i % 4 != 0) {
      EXPECT_FALSE(peer.receive_some().empty());
    }
    if (i % 2 == 0) peer.reset();
  }
  expect_echo(Peer::connect(server.address));
}

}  // namespace
}  // namespace tern::net
