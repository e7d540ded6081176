// Against DNS rebinding: a server that only this machine can reach serves no names of the public DNS.
#include "http/local_host.hpp"
#include "tern/running_app.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern {
namespace {

// The status line of a GET for that host.
std::string status_for(App& app, const std::string& host, const std::string& path = "/hello") {
  net::Peer peer = connect(app.port());
  EXPECT_TRUE(peer.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"));
  const std::string response = peer.receive_all();
  return response.substr(9, 3);
}

class LocalHosts : public ::testing::Test {
protected:
  LocalHosts() {
    app.get("/hello", [] { return "Hello, World!"; });
  }
  ~LocalHosts() override { app.stop(); }
  LocalHosts(const LocalHosts&) = delete;
  LocalHosts& operator=(const LocalHosts&) = delete;

  App app;
};

struct HostCheck {
  static constexpr bool checks_host = true;
  Reply operator()(Request&, Next next) const { return next(); }
};

TEST_F(LocalHosts, a_loopback_address_serves_only_them) {
  app.start(quiet());
  for (const char* host : {"localhost", "127.0.0.1", "127.0.0.1:8080", "[::1]:80", "shop.localhost", "backend"}) {
    EXPECT_EQ(status_for(app, host), "200") << host;
  }
  for (const char* host : {"rebind.example", "rebind.example:8080", "localhost.example", "127.0.0.1.example"}) {
    EXPECT_EQ(status_for(app, host), "421") << host;
    EXPECT_EQ(status_for(app, host, "/missing"), "421") << host;
  }
}

TEST_F(LocalHosts, other_addresses_serve_all) {
  Options options = quiet();
  options.host = "0.0.0.0";
  app.start(options);
  EXPECT_EQ(status_for(app, "shop.example"), "200");
}

TEST_F(LocalHosts, one_other_listener_is_enough_for_all) {
  Options options = quiet();
  options.listeners.push_back({.host = "0.0.0.0"});
  app.start(options);
  EXPECT_EQ(status_for(app, "shop.example"), "200");
}

TEST_F(LocalHosts, behind_a_trusted_proxy_all_are_served) {
  Options options = quiet();
  options.proxies.trusted = {"127.0.0.1"};
  app.start(options);
  EXPECT_EQ(status_for(app, "shop.example"), "200");
}

TEST_F(LocalHosts, new_options_decide_again) {
  Options options = quiet();
  app.start(options);
  EXPECT_EQ(status_for(app, "shop.example"), "421");
  options.proxies.trusted = {"127.0.0.1"};
  app.apply(options);
  EXPECT_EQ(status_for(app, "shop.example"), "200");
  options.proxies.trusted.clear();
  app.apply(options);
  EXPECT_EQ(status_for(app, "shop.example"), "421");
}

TEST_F(LocalHosts, new_options_leave_to_middleware_what_it_checks) {
  app.use(HostCheck());
  Options options = quiet();
  options.proxies.trusted = {"127.0.0.1"};
  app.start(options);
  options.proxies.trusted.clear();
  app.apply(options);
  EXPECT_EQ(status_for(app, "shop.example"), "200");
}

TEST_F(LocalHosts, middleware_may_check_them_instead) {
  app.use(HostCheck());
  app.start(quiet());
  EXPECT_EQ(status_for(app, "shop.example"), "200");
}

TEST_F(LocalHosts, an_app_with_hosts_serves_all) {
  app.host("shop.example").get("/hello", [] { return "the shop"; });
  app.start(quiet());
  EXPECT_EQ(status_for(app, "shop.example"), "200");
}

TEST_F(LocalHosts, that_are_refused_run_the_middleware) {
  app.use([](Request&, Next next) {
    return next().then([](Response response) {
      response.set("x-seen", "yes");
      return response;
    });
  });
  app.start(quiet());
  net::Peer peer = connect(app.port());
  ASSERT_TRUE(peer.send("GET /hello HTTP/1.1\r\nHost: rebind.example\r\nConnection: close\r\n\r\n"));
  const std::string response = peer.receive_all();
  EXPECT_TRUE(response.starts_with("HTTP/1.1 421 "));
  EXPECT_NE(response.find("x-seen: yes"), response.npos);
}

TEST(KnownHosts, may_be_asked_for_by_several_threads) {
  http::LocalHosts hosts;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&hosts, &wrong, i] {
        for (int round = 0; round < 1000; ++round) {
          const std::string name = "host" + std::to_string((round + i) % 7);
          if (!hosts.contains(name) || hosts.contains(name + ".example")) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tern
