#include "net/listener.hpp"

#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace tern::net {
namespace {

std::string socket_path(const char* name) {
  return "/tmp/tern-net-" + std::to_string(::getpid()) + '-' + name;
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

struct Collector final : AcceptHandler {
  void on_accept(Descriptor socket, const Address& remote) override {
    sockets.push_back(std::move(socket));
    remotes.push_back(remote);
    if (then) then();
  }
  void on_accept_paused(int error) override { lacks.push_back(error); }
  std::vector<Descriptor> sockets;
  std::vector<int> lacks;
  std::vector<Address> remotes;
  std::function<void()> then;
};

struct Alarm final : Timer {
  explicit Alarm(std::function<void()> f) : action(std::move(f)) {}
  void on_timer() noexcept override { action(); }
  std::function<void()> action;
};

int flag(const Descriptor& socket, int level, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  ::getsockopt(socket.number(), level, option, &value, &length);
  return value;
}

TEST(Listen, names_the_address_and_chooses_a_port) {
  const auto sockets = listen({.host = "localhost", .port = 0});
  ASSERT_TRUE(sockets);
  ASSERT_EQ(sockets->size(), 1U);
  EXPECT_NE(sockets->front().address.port(), 0);
  EXPECT_EQ(sockets->front().name, "127.0.0.1:" + std::to_string(sockets->front().address.port()));
}

TEST(Listen, refuses_a_port_that_is_served) {
  for (const std::size_t theirs : {1U, 2U}) {
    for (const std::size_t ours : {1U, 3U}) {
      const auto first = listen({.port = 0}, theirs);
      ASSERT_TRUE(first);
      const std::uint16_t port = first->front().address.port();
      const auto second = listen({.port = port}, ours);
      ASSERT_FALSE(second);
      EXPECT_EQ(second.error().fault, Fault::AddressInUse);
      EXPECT_EQ(second.error().message, "address already in use: 127.0.0.1:" + std::to_string(port));
    }
  }
}

TEST(Listen, gives_each_loop_a_socket_of_the_same_port_and_the_kernel_spreads_connections) {
  auto sockets = listen({.port = 0}, 4);
  ASSERT_TRUE(sockets);
  ASSERT_EQ(sockets->size(), 4U);
  std::set<std::string> names;
  for (const ListenSocket& socket : *sockets) names.insert(socket.name);
  EXPECT_EQ(names.size(), 1U);

  Loop loop;
  std::vector<Peer> peers;
  for (int i = 0; i < 200; ++i) peers.push_back(Peer::connect(sockets->front().address));
  std::size_t all = 0;
  for (ListenSocket& socket : *sockets) {
    Collector collector;
    Listener listener;
    ASSERT_TRUE(listener.open(loop, std::move(socket), collector));
    listener.drain_accept_queue();
    EXPECT_GT(collector.sockets.size(), 0U);
    all += collector.sockets.size();
  }
  EXPECT_EQ(all, 200U);
}

TEST(Listen, serves_the_same_port_again_at_once) {
  std::uint16_t port = 0;
  {
    TestServer server;
    port = server.address.port();
    Peer peer = Peer::connect(server.address);
    ASSERT_TRUE(peer.send("x"));
    EXPECT_EQ(peer.receive(1), "x");
    server.thread.on_loop([&] { server.connections.begin()->second->stream.close(); });  // leaves TIME_WAIT here
    EXPECT_EQ(peer.receive_all(), "");
  }
  EXPECT_TRUE(listen({.port = port}, 2));
}

TEST(Listen, says_what_is_wrong_with_an_address) {
  const auto name = listen({.host = "example.org"});
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().fault, Fault::BadAddress);
  EXPECT_NE(name.error().message.find("'example.org'"), std::string::npos);

  const auto foreign = listen({.host = "192.0.2.1", .port = 0});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().fault, Fault::System);
  EXPECT_NE(foreign.error().message.find("192.0.2.1:0"), std::string::npos);
}

// Of a socket accepted by the first listener of `options`, which need not be the listener's own.
TEST(Listen, removes_the_socket_file_when_the_last_listener_is_gone) {
  const std::string path = socket_path("last");
  auto sockets = listen({.path = path}, 2);
  ASSERT_TRUE(sockets);
  EXPECT_EQ(sockets->front().name, "unix:" + path);
  EXPECT_TRUE(exists(path));
  sockets->pop_back();
  EXPECT_TRUE(exists(path));
  EXPECT_TRUE(Peer::connect(path));
  sockets->pop_back();
  EXPECT_FALSE(exists(path));
}

TEST(Listen, refuses_a_socket_file_with_a_listening_process) {
  const std::string path = socket_path("live");
  const auto first = listen({.path = path});
  ASSERT_TRUE(first);
  const auto second = listen({.path = path});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().fault, Fault::AddressInUse);
  EXPECT_EQ(second.error().message, "address already in use: unix:" + path);
  EXPECT_TRUE(Peer::connect(path)) << "the first one is unharmed";
}

TEST(Listen, replaces_the_socket_file_of_a_dead_server) {
  const std::string path = socket_path("stale");
  {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const Descriptor dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(dead.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ASSERT_TRUE(exists(path));
  {
    const auto sockets = listen({.path = path});
    ASSERT_TRUE(sockets) << sockets.error().message;
    EXPECT_TRUE(Peer::connect(path));
  }
  EXPECT_FALSE(exists(path));
}

TEST(Listen, leaves_alone_what_is_no_socket) {
  const std::string path = socket_path("file");
  {
    const Descriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  }
  const auto sockets = listen({.path = path});
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().fault, Fault::AddressInUse);
  EXPECT_TRUE(exists(path));
  ::unlink(path.c_str());
}

TEST(Listen, does_not_remove_the_file_of_a_successor) {
  const std::string path = socket_path("successor");
  auto first = listen({.path = path});
  ASSERT_TRUE(first);
  ::unlink(path.c_str());
  const auto second = listen({.path = path});
  ASSERT_TRUE(second);
  first->clear();
  EXPECT_TRUE(exists(path));
}

TEST(Listen, refuses_paths_that_no_socket_can_have) {
  for (const std::string& path : {std::string(108, 'x'), std::string("/tmp/a\0b", 8)}) {
    const auto sockets = listen({.path = path});
    ASSERT_FALSE(sockets);
    EXPECT_EQ(sockets.error().fault, Fault::BadAddress);
  }
  const auto nowhere = listen({.path = "/tmp/no/such/directory/socket"});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().fault, Fault::System);
}

class ListenerTest : public ::testing::Test {
protected:
  ListenerTest() {
    auto sockets = listen({.port = 0});
    EXPECT_TRUE(sockets);
    EXPECT_TRUE(listener.open(loop, std::move(sockets->front()), collector));
  }

  Loop loop;
  Collector collector;
  Listener listener;
};

TEST_F(ListenerTest, hands_over_sockets_that_are_ready_for_a_stream) {
  const Peer peer = Peer::connect(listener.address());
  collector.then = [&] { loop.stop(); };
  loop.run();
  ASSERT_EQ(collector.sockets.size(), 1U);
  const Descriptor& socket = collector.sockets.front();
  EXPECT_NE(::fcntl(socket.number(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(socket.number(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(flag(socket, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_TRUE(collector.remotes.front().is_loopback());
}

TEST_F(ListenerTest, accepts_nothing_while_paused_and_does_not_spin) {
  std::vector<Peer> peers;
  for (int i = 0; i < 5; ++i) peers.push_back(Peer::connect(listener.address()));
  listener.pause();
  Alarm alarm([&] {
    EXPECT_TRUE(collector.sockets.empty());
    EXPECT_LE(loop.counters().iterations.value(), 3U);
    listener.resume();
  });
  loop.arm(alarm, Milliseconds(50));
  collector.then = [&] {
    if (collector.sockets.size() == 5) loop.stop();
  };
  loop.run();
  EXPECT_EQ(collector.sockets.size(), 5U);
}

TEST_F(ListenerTest, may_be_paused_and_closed_from_inside_on_accept) {
  std::vector<Peer> peers;
  for (int i = 0; i < 5; ++i) peers.push_back(Peer::connect(listener.address()));
  collector.then = [&] {
    if (collector.sockets.size() == 2) listener.pause();
    if (collector.sockets.size() == 2) loop.stop();
  };
  loop.run();
  EXPECT_EQ(collector.sockets.size(), 2U);
  collector.then = [&] { listener.close(); };
  listener.drain_accept_queue();
  EXPECT_EQ(collector.sockets.size(), 3U);
  EXPECT_FALSE(listener.is_open());
}

TEST_F(ListenerTest, accepts_a_bounded_number_in_a_round) {
  std::vector<Peer> peers;
  for (int i = 0; i < 200; ++i) peers.push_back(Peer::connect(listener.address()));
  std::size_t after_one_round = 0;
  loop.post([&] { after_one_round = collector.sockets.size(); });
  collector.then = [&] {
    if (collector.sockets.size() == 200) loop.stop();
  };
  loop.run();
  EXPECT_GT(after_one_round, 0U);
  EXPECT_LE(after_one_round, 64U);
  EXPECT_EQ(collector.sockets.size(), 200U);
}

TEST_F(ListenerTest, drains_its_queue_before_it_closes_without_resets) {
  std::vector<Peer> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(Peer::connect(listener.address()));
  listener.drain_accept_queue();
  listener.close();
  listener.close();
  EXPECT_EQ(collector.sockets.size(), 100U);
  collector.sockets.clear();
  for (Peer& peer : peers) {
    EXPECT_EQ(peer.receive_some(), "");
    EXPECT_EQ(peer.error(), 0);
  }
}

// Lets the process have few descriptors, and takes all that are left.
class NoDescriptors {
public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 128;  // enough for what the test has open
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (;;) {
      Descriptor copy(::dup(0));
      if (!copy) break;
      taken.push_back(std::move(copy));
    }
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  std::vector<Descriptor> taken;

private:
  rlimit before_{};
};

TEST_F(ListenerTest, pauses_when_descriptors_run_out_and_goes_on_when_one_is_free_again) {
  const Peer peer = Peer::connect(listener.address());
  const auto iterations = loop.counters().iterations.value();
  NoDescriptors none;
  collector.then = [&] { loop.stop(); };
  Alarm free_one([&] {
    EXPECT_TRUE(collector.sockets.empty());
    EXPECT_LE(loop.counters().iterations.value(), iterations + 12) << "does not spin";
    none.taken.pop_back();
  });
  loop.arm(free_one, Milliseconds(350));
  loop.run();
  EXPECT_EQ(collector.sockets.size(), 1U);
  EXPECT_FALSE(collector.lacks.empty());
  for (const int error : collector.lacks) EXPECT_EQ(error, EMFILE);
}

TEST_F(ListenerTest, goes_on_as_soon_as_a_stream_of_the_loop_has_closed) {
  auto [near, far] = connected_pair();
  TestConnection connection;
  connection.stream.open(loop, std::move(far), connection);
  const Peer peer = Peer::connect(listener.address());
  NoDescriptors none;
  collector.then = [&] { loop.stop(); };
  std::uint64_t closed_at = 0;
  Alarm close_one([&] {
    EXPECT_TRUE(collector.sockets.empty());
    closed_at = loop.counters().iterations.value();
    connection.stream.close();
  });
  loop.arm(close_one, Milliseconds(20));
  loop.run();
  EXPECT_EQ(collector.sockets.size(), 1U);
  EXPECT_LE(loop.counters().iterations.value(), closed_at + 1) << "in the next iteration, not at the next timer";
}

TEST_F(ListenerTest, may_be_closed_while_descriptors_are_out) {
  const Peer peer = Peer::connect(listener.address());
  NoDescriptors none;
  Alarm close_it([&] {
    listener.close();
    loop.stop();
  });
  loop.arm(close_it, Milliseconds(20));
  loop.run();
  EXPECT_TRUE(collector.sockets.empty());
}

TEST(Listener, shares_a_unix_socket_between_loops) {
  const std::string path = socket_path("shared");
  auto sockets = listen({.path = path}, 2);
  ASSERT_TRUE(sockets);
  LoopThread threads[2];
  Collector collectors[2];
  Listener listeners[2];
  for (std::size_t i = 0; i < 2; ++i) {
    threads[i].on_loop(
        [&] { EXPECT_TRUE(listeners[i].open(threads[i].loop, std::move((*sockets)[i]), collectors[i])); });
  }
  std::vector<Peer> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(Peer::connect(path));
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    threads[i].on_loop([&] {
      listeners[i].drain_accept_queue();
      listeners[i].close();
      accepted += collectors[i].sockets.size();
    });
  }
  EXPECT_EQ(accepted, 100U);
  EXPECT_FALSE(exists(path));
}

}  // namespace
}  // namespace tern::net
