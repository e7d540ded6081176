// Several listeners of one app, by name: their routes, and mistakes at the start.
#include "tern/running_app.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Listeners : public RunningAppTest {
protected:
  Options with_listeners(std::vector<Listener> listeners) const {
    Options options = quiet();
    options.listeners = std::move(listeners);
    return options;
  }
  std::string failure_of(const Options& options) {
    try {
      app.start(options);
    } catch (const SetupError& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(Listeners, serve_routes_of_their_own_at_their_port) {
  app.listener("admin").get("/metrics", [](Request& request) { return request.listener(); });
  app.get("/whoami", [](Request& request) { return "at '" + std::string(request.listener()) + "'"; });
  const std::string path = folder.path / "socket";
  app.start(with_listeners({{.name = "admin"}, {.name = "internal", .unix_path = path}}));
  EXPECT_NE(app.port("admin"), 0);
  EXPECT_EQ(app.port("admin"), app.port(1));
  EXPECT_EQ(app.port("nothing"), 0);
  // The same head at both, before and after it was seen.
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(get(app.port("admin"), "/metrics"), EndsWith("\r\n\r\nadmin"));
    EXPECT_THAT(get(app.port(), "/metrics"), StartsWith("HTTP/1.1 404"));
    EXPECT_THAT(get(app.port(), "/hello"), EndsWith("Hello, World!"));
    EXPECT_THAT(get(app.port("admin"), "/hello"), StartsWith("HTTP/1.1 404"));
  }
  EXPECT_THAT(get(app.port(), "/whoami"), EndsWith("at ''"));
  EXPECT_THAT(get(net::Peer::connect(path), "/whoami"), EndsWith("at 'internal'"));
  app.stop();
}

TEST_F(Listeners, without_the_named_one_and_with_a_name_twice_do_not_start) {
  app.listener("admin").get("/metrics", [] { return "metrics"; });
  EXPECT_THAT(failure_of(quiet()), HasSubstr("listener 'admin' has routes, but no listener of Options::listeners"));
  EXPECT_THAT(failure_of(quiet()), HasSubstr("listener_test.cpp:"));
  EXPECT_EQ(failure_of(with_listeners({{.name = "admin"}, {.name = "admin"}})), "two listeners are named 'admin'");
  EXPECT_EQ(failure_of(with_listeners({{}, {}, {.name = "admin"}})), "none");
}

TEST_F(Listeners, share_a_port_where_both_servers_choose_to) {
  App other;
  other.get("/hello", [] { return "the other"; });
  Options options = quiet();
  options.share_port = true;
  options.threads = 1;
  app.start(options);
  options.port = app.port();
  other.start(options);
  EXPECT_EQ(other.port(), app.port());
  bool own = false;
  bool others = false;
  // The kernel chooses by a hash of the client's port: each for about half of them.
  for (int i = 0; i < 1000 && !(own && others); ++i) {
    const std::string answer = get(app.port());
    own = own || answer.ends_with("Hello, World!");
    others = others || answer.ends_with("the other");
  }
  EXPECT_TRUE(own && others);
  // What has ended is not asked any more.
  app.stop();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(get(other.port()), EndsWith("the other"));
  EXPECT_THAT(failure_of(quiet(other.port())), StartsWith("address already in use"));
}

TEST_F(Listeners, do_not_share_a_port_with_one_that_does_not_or_a_unix_socket) {
  App other;
  Options options = quiet();
  options.threads = 1;
  other.start(options);
  options.port = other.port();
  options.share_port = true;
  EXPECT_THAT(failure_of(options), StartsWith("address already in use"));
  EXPECT_THAT(failure_of(with_listeners({{.unix_path = folder.path / "socket", .share_port = true}})),
              HasSubstr("a Unix socket has no port"));
}

}  // namespace
}  // namespace tern
