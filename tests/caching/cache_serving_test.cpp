// tern::cache() on several loops: single flight, clients that leave, background refreshes.
#include "tern/running_app.hpp"

#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr unsigned loops = 3;

class ServingCached : public ::testing::Test {
protected:
  ~ServingCached() override {
    go = true;
    app.stop();
  }

  void start(CacheOptions options = {.ttl = Seconds(100), .max_wait = Seconds(100)}) {
    cache = Cache(std::move(options));
    app.get("/page", [this]() -> Task<Response> { return page(++calls); }).use(cache);
    Options serving = quiet();
    serving.threads = loops;
    app.start(serving);
  }
  // Waits for `go`.
  Task<Response> page(int call) {
    ++running;
    most_running = std::max(most_running.load(), running.load());
    try {
      while (!go) co_await sleep_for(Milliseconds(1));
    } catch (...) {
      --running;
      throw;
    }
    --running;
    if (call <= failing_calls) throw std::runtime_error("it fails");
    Response response = Response::text("page " + std::to_string(call));
    if (sets_cookie) response.set("set-cookie", "a=b");
    co_return response;
  }

  net::Peer ask(const std::string& fields = {}) const {
    net::Peer peer = connect(app.port());
    EXPECT_TRUE(peer.send("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + fields + "\r\n"));
    return peer;
  }
  std::vector<net::Peer> ask_often(int count) const {
    std::vector<net::Peer> peers;
    for (int i = 0; i < count; ++i) peers.push_back(ask());
    return peers;
  }
  template <class F>
  static bool eventually(F holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::atomic<bool> go = false;
  std::atomic<int> calls = 0;
  std::atomic<int> running = 0;
  std::atomic<int> most_running = 0;
  int failing_calls = 0;
  bool sets_cookie = false;
  Cache cache;
  App app;
};

TEST_F(ServingCached, a_thousand_requests_for_what_is_not_stored_call_the_handler_once) {
  start();
  std::vector<net::Peer> peers = ask_often(1000);
  go = true;
  for (net::Peer& peer : peers) {
    const std::string response = peer.receive_all();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(response, EndsWith("\r\n\r\npage 1"));
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cache.counts().misses, 1U);
  EXPECT_EQ(cache.counts().hits, 999U);
}

TEST_F(ServingCached, a_leader_that_fails_is_replaced_and_only_its_client_gets_the_error) {
  failing_calls = 2;
  start();
  std::vector<net::Peer> peers = ask_often(30);
  go = true;
  int errors = 0;
  for (net::Peer& peer : peers) {
    const std::string response = peer.receive_all();
    if (response.starts_with("HTTP/1.1 500")) {
      ++errors;
    } else {
      EXPECT_THAT(response, EndsWith("\r\n\r\npage 3"));
    }
  }
  EXPECT_EQ(errors, 2);
  EXPECT_EQ(calls, 3);
}

TEST_F(ServingCached, a_leader_whose_client_leaves_does_not_cancel_the_others) {
  start();
  {
    net::Peer leaving = ask();
    ASSERT_TRUE(eventually([this] { return calls == 1; }));
    std::vector<net::Peer> peers = ask_often(20);
    leaving = net::Peer();
    ASSERT_TRUE(eventually([this] { return calls == 2; }));
    EXPECT_EQ(most_running, 1);
    go = true;
    for (net::Peer& peer : peers) EXPECT_THAT(peer.receive_all(), EndsWith("\r\n\r\npage 2"));
  }
  EXPECT_EQ(calls, 2);
}

TEST_F(ServingCached, clients_that_leave_while_they_wait_change_nothing) {
  start();
  net::Peer first = ask();
  ASSERT_TRUE(eventually([this] { return calls == 1; }));
  for (int i = 0; i < 50; ++i) ask();
  net::Peer last = ask();
  go = true;
  EXPECT_THAT(first.receive_all(), EndsWith("\r\n\r\npage 1"));
  EXPECT_THAT(last.receive_all(), EndsWith("\r\n\r\npage 1"));
  EXPECT_EQ(calls, 1);
}

TEST_F(ServingCached, what_may_not_be_stored_is_made_for_each_request_without_waiting_in_line) {
  sets_cookie = true;
  start();
  net::Peer first = ask();
  ASSERT_TRUE(eventually([this] { return calls == 1; }));
  go = true;
  EXPECT_THAT(first.receive_all(), EndsWith("page 1"));
  go = false;
  std::vector<net::Peer> peers = ask_often(20);
  ASSERT_TRUE(eventually([this] { return running == 20; }));
  go = true;
  for (net::Peer& peer : peers) EXPECT_THAT(peer.receive_all(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(calls, 21);
}

TEST_F(ServingCached, a_request_that_has_waited_too_long_calls_its_handler) {
  start({.ttl = Seconds(100), .max_wait = Milliseconds(30)});
  std::vector<net::Peer> peers = ask_often(5);
  ASSERT_TRUE(eventually([this] { return running == 5; }));
  go = true;
  for (net::Peer& peer : peers) EXPECT_THAT(peer.receive_all(), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServingCached, requests_for_a_stale_response_start_one_refresh_and_do_not_wait) {
  go = true;
  start({.ttl = Milliseconds(1), .stale_while_revalidate = Seconds(100)});
  EXPECT_THAT(ask().receive_all(), EndsWith("page 1"));
  go = false;
  std::this_thread::yield();
  ASSERT_TRUE(eventually([this] {
    EXPECT_THAT(ask().receive_all(), EndsWith("page 1"));  // although the handler waits
    return calls == 2;
  }));
  for (int i = 0; i < 30; ++i) EXPECT_THAT(ask().receive_all(), EndsWith("page 1"));
  EXPECT_EQ(calls, 2);
  go = true;
  EXPECT_TRUE(eventually([this] { return !ask().receive_all().ends_with("page 1"); }));
}

TEST_F(ServingCached, a_refresh_ends_with_the_server) {
  go = true;
  start({.ttl = Milliseconds(1), .stale_while_revalidate = Seconds(100)});
  ask().receive_all();
  go = false;
  ASSERT_TRUE(eventually([this] {
    ask().receive_all();
    return running == 1;
  }));
  app.stop();
  EXPECT_EQ(running, 0);
}

TEST_F(ServingCached, a_server_that_ends_ends_its_waiting_requests) {
  start();
  std::vector<net::Peer> peers = ask_often(20);
  ASSERT_TRUE(eventually([this] { return calls == 1; }));
  go = true;
  app.stop();
  for (net::Peer& peer : peers) EXPECT_THAT(peer.receive_all(), EndsWith("page 1"));
}

// For ThreadSanitizer: everything at once.
TEST_F(ServingCached, hits_misses_failures_and_clears_go_together) {
  go = true;
  const Cache mixed = tern::cache({.ttl = Milliseconds(2),
                                   .stale_while_revalidate = Milliseconds(5),
                                   .stale_if_error = Milliseconds(10),
                                   .max_bytes = 20'000});
  std::atomic<int> made = 0;
  app.get("/mixed/{name}",
          [&made](std::string name) -> Task<Response> {
            const int number = ++made;
            co_await sleep_for(Milliseconds(number % 3));
            if (number % 7 == 0) throw std::runtime_error("it fails");
            Response response =
                Response::text(name + std::string(500, 'x')).set("vary", "x-kind").set("cache-tag", name);
            if (number % 11 == 0) response.set("set-cookie", "a=b");
            co_return response;
          })
      .use(mixed);
  start();
  std::atomic<bool> done = false;
  std::thread clearing([&] {
    for (int i = 0; !done; ++i) {
      mixed.clear_tag("a" + std::to_string(i % 5));
      if (i % 50 == 0) mixed.clear();
      EXPECT_LE(mixed.counts().bytes, 20'000U);
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> clients;
  for (int thread = 0; thread < 4; ++thread) {
    clients.emplace_back([&, thread] {
      for (int i = 0; i < 150; ++i) {
        const std::string name = "a" + std::to_string((i + thread) % 9);
        net::Peer one = connect(app.port());
        one.send("GET /mixed/" + name +
                 " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Kind: " + std::to_string(i % 3) + "\r\n\r\n");
        if (i % 10 == 9) continue;  // leaves
        const std::string response = one.receive_all();
        EXPECT_TRUE(response.starts_with("HTTP/1.1 500") ||
                    response.ends_with("\r\n\r\n" + name + std::string(500, 'x')));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  done = true;
  clearing.join();
  app.stop();  // handlers of clients that have left still use what is above
}

}  // namespace
}  // namespace tern::testing
