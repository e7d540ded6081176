// The start of a server, and one that fails.
#include "net/address.hpp"
#include "net/test_peer.hpp"
#include "server/server.hpp"

#include <tern/coro/cancelled.hpp>

#include <gtest/gtest.h>

#include <poll.h>
#include <pthread.h>
#include <cstddef>
#include <system_error>
#include <vector>

namespace tern::server {
namespace {

struct NoService final : Service {
  Reply serve(Exchange&) const noexcept override { return Response(); }
  Response refuse(const Problem&) const noexcept override { return Response(); }
};

// While it lives, no stack can be allocated for new threads.
class NoThreads {
public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, huge_stack);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

  // Not with musl, which bounds the default.
  bool takes_effect() const {
    pthread_attr_t now;
    pthread_getattr_default_np(&now);
    std::size_t set = 0;
    pthread_attr_getstacksize(&now, &set);
    pthread_attr_destroy(&now);
    return set == huge_stack;
  }

private:
  static constexpr std::size_t huge_stack = std::size_t{1} << 47U;
  pthread_attr_t before_{};
};

TEST(Server, without_threads_does_not_start_and_leaves_nothing_behind) {
  const NoService service;
  LogOptions silent;
  silent.level = LogLevel::Off;
  Server server(service, {}, silent);
  ASSERT_TRUE(server.listen({{{.host = "127.0.0.1", .port = 0}}}, 3));
  {
    const NoThreads none;
    if (!none.takes_effect()) GTEST_SKIP() << "the default stack may not be that large";
    EXPECT_THROW(server.start(), std::system_error);
  }
  server.stop(Milliseconds(0));
  server.wait();
}

TEST(Server, that_is_stopped_before_it_starts_runs_no_hook) {
  const NoService service;
  LogOptions silent;
  silent.level = LogLevel::Off;
  Server server(service, {}, silent);
  ASSERT_TRUE(server.listen({{{.host = "127.0.0.1", .port = 0}}}, 2));
  server.stop(Seconds(20));
  int hooks = 0;
  bool ended = false;
  const auto hook = [&hooks]() -> Task<> {
    ++hooks;
    co_return;
  };
  server.start({.on_start = hook, .on_stop = hook, .on_ended = [&ended] { ended = true; }});
  EXPECT_THROW(server.await_start(), Cancelled);
  server.wait();
  EXPECT_EQ(hooks, 0);
  EXPECT_TRUE(ended);
}

// A signal that a client sends after its first response finds a server that serves, whichever worker answered.
TEST(Server, answers_on_no_worker_before_it_is_serving) {
  const NoService service;
  LogOptions silent;
  silent.level = LogLevel::Off;
  Server server(service, {}, silent);
  ASSERT_TRUE(server.listen({{{.host = "127.0.0.1", .port = 0}}}, 4));
  std::vector<net::Peer> clients;
  std::vector<pollfd> waiting;
  for (int i = 0; i < 32; ++i) {  // enough that each worker has some
    clients.push_back(net::Peer::connect(*net::Address::parse("127.0.0.1", server.port())));
    ASSERT_TRUE(clients.back().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    waiting.push_back({.fd = clients.back().number(), .events = POLLIN, .revents = 0});
  }
  int early = -1;
  const auto start = []() -> Task<> { co_return; };
  server.start({.on_start = start, .on_serving = [&] { early = ::poll(waiting.data(), waiting.size(), 50); }});
  server.await_start();
  for (net::Peer& client : clients) EXPECT_TRUE(client.receive_some().starts_with("HTTP/1.1 200 OK"));
  EXPECT_EQ(early, 0);
  server.stop(Milliseconds(0));
  server.wait();
}

}  // namespace
}  // namespace tern::server
