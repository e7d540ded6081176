// A client that forges X-Forwarded-For does not get past a rate limit.
#include "tern/running_app.hpp"

#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <string>

namespace tern::testing {
namespace {

using ::testing::StartsWith;

class ForwardedLimit : public ::testing::Test {
protected:
  void start(std::vector<std::string> trusted) {
    app.get("/", [] { return "fine"; }).use(RateLimit({.limit = 2, .window = Seconds(3600)}));
    Options options = quiet();
    options.proxies.trusted = std::move(trusted);
    app.start(options);
  }
  ~ForwardedLimit() override { app.stop(); }

  std::string ask(const std::string& forwarded) const {
    net::Peer peer = connect(app.port());
    EXPECT_TRUE(peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + forwarded + "\r\n"));
    return peer.receive_all();
  }

  App app;
};

TEST_F(ForwardedLimit, a_client_that_names_other_addresses_is_one_client) {
  start({});
  EXPECT_THAT(ask("X-Forwarded-For: 203.0.113.1\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("Forwarded: for=203.0.113.2\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("X-Forwarded-For: 203.0.113.3\r\n"), StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(ask("X-Real-IP: 203.0.113.4\r\n"), StartsWith("HTTP/1.1 429"));
}

// The proxy appends the address that it sees; the ones before it are of the client.
TEST_F(ForwardedLimit, behind_a_proxy_the_address_that_the_proxy_has_seen_counts) {
  start({"127.0.0.1"});
  EXPECT_THAT(ask("X-Forwarded-For: 203.0.113.1, 198.51.100.7\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("X-Forwarded-For: 203.0.113.2, 198.51.100.7\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("X-Forwarded-For: 203.0.113.3, 198.51.100.7\r\n"), StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(ask("X-Forwarded-For: 127.0.0.1, 198.51.100.7\r\n"), StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(ask("X-Forwarded-For: 198.51.100.7, 203.0.113.9\r\n"), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace tern::testing
