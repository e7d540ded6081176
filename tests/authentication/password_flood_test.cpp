// A flood of logins: some are computed, some wait, the rest gets 503, and the one loop answers other requests
// meanwhile.
#include "tern/running_app.hpp"

#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Caller {
  std::string name;
};

class PasswordFlood : public ::testing::Test {
protected:
  PasswordFlood() {
    // Each takes far longer than a request, and few are computed in all.
    app.state(Passwords({.memory_kib = 32 * 1024, .iterations = 2, .max_concurrent = 1, .max_waiting = 4}));
    app.post("/login", [this](State<Passwords> passwords) -> Task<std::string> {
      ++logins;
      const auto check = co_await passwords->verify("guess", std::nullopt);
      --logins;
      co_return check == PasswordCheck::Wrong ? "wrong" : "right";
    });
    app.get("/logins", [this] { return logins.load(); });
    app.get("/basic", [](Identity<Caller> caller) { return caller->name; })
        .use(Authentication<Caller>().basic([](std::string_view) { return std::optional<PasswordOf<Caller>>(); }));
    Options options = quiet();
    options.threads = 1;
    app.start(options);
  }
  ~PasswordFlood() override { app.stop(); }

  net::Peer ask(const std::string& head) const {
    net::Peer peer = connect(app.port());
    EXPECT_TRUE(peer.send(head + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
    return peer;
  }

  std::atomic<int> logins = 0;
  App app;
};

TEST_F(PasswordFlood, gets_503_and_does_not_stop_the_loop) {
  constexpr int count = 60;
  std::vector<net::Peer> peers;
  for (int i = 0; i < count; ++i) peers.push_back(ask("POST /login"));
  // The first of the flood is being computed for a long time yet.
  const std::string meanwhile = ask("GET /logins").receive_all();
  EXPECT_THAT(meanwhile, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(meanwhile, ::testing::Not(EndsWith("\r\n\r\n0")));

  int refused = 0;
  for (net::Peer& peer : peers) {
    const std::string response = peer.receive_all();
    if (response.starts_with("HTTP/1.1 503")) {
      ++refused;
      EXPECT_THAT(response, HasSubstr("application/problem+json"));
    } else {
      EXPECT_THAT(response, EndsWith("\r\n\r\nwrong"));
    }
  }
  EXPECT_GE(refused, 1);
  EXPECT_LT(refused, count);
  // Afterwards it is as before.
  EXPECT_THAT(ask("POST /login").receive_all(), EndsWith("\r\n\r\nwrong"));
}

TEST_F(PasswordFlood, by_basic_authentication_is_bounded_too) {
  std::vector<net::Peer> peers;
  for (int i = 0; i < 30; ++i) {
    net::Peer& peer = peers.emplace_back(connect(app.port()));
    EXPECT_TRUE(peer.send(
        "GET /basic HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Basic YW5uYTpndWVzcw==\r\n\r\n"));
  }
  int refused = 0;
  for (net::Peer& peer : peers) {
    const std::string response = peer.receive_all();
    if (response.starts_with("HTTP/1.1 503")) {
      ++refused;
    } else {
      EXPECT_THAT(response, StartsWith("HTTP/1.1 401"));
    }
  }
  EXPECT_GE(refused, 1);
}

}  // namespace
}  // namespace tern::testing
