// Who may see the dashboard of a running server, and what it shows.
#include "tern/running_app.hpp"

#include <tern/observe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServingDashboard : public RunningAppTest {
protected:
  std::string ask(const std::string& path, const std::string& fields = "Host: 127.0.0.1\r\n") {
    net::Peer peer = connect(app.port());
    peer.send("GET " + path + " HTTP/1.1\r\nConnection: close\r\n" + fields + "\r\n");
    return peer.receive_all();
  }
  std::string send(const std::string& method, const std::string& path, const std::string& content) {
    net::Peer peer = connect(app.port());
    peer.send(
        method + " " + path +
        " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(content.size()) + "\r\n\r\n" + content);
    return peer.receive_all();
  }
  // Up to the second event of the stream.
  std::string events() {
    net::Peer peer = connect(app.port());
    peer.send("GET /-/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string all;
    while (!all.contains("event: now")) all += peer.receive_some();
    return all;
  }
};

TEST_F(ServingDashboard, is_for_hosts_of_this_machine) {
  app.dashboard("/-/", {.title = "A <shop>"});
  app.start(quiet());
  EXPECT_THAT(ask("/-/"), HasSubstr("<title>A &lt;shop></title>"));
  EXPECT_THAT(ask("/-/", "Host: localhost:8080\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("/-/", "Host: evil.example\r\n"), StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(ask("/-/events", "Host: evil.example\r\n"), StartsWith("HTTP/1.1 421"));
}

TEST_F(ServingDashboard, asks_for_its_password) {
  app.dashboard("/-/", {.password = "s3cret", .remote = true});
  app.start(quiet());
  const std::string refused = ask("/-/traces");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(refused, HasSubstr("www-authenticate: Basic"));
  const std::string host = "Host: localhost\r\nAuthorization: ";
  EXPECT_THAT(ask("/-/traces", host + "basic YWRtaW46czNjcmV0\r\n"), StartsWith("HTTP/1.1 200"));  // admin:s3cret
  EXPECT_THAT(ask("/-/traces", host + "Basic YWRtaW46czNjcmV1\r\n"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("/-/traces", host + "Bearer YWRtaW46czNjcmV0\r\n"), StartsWith("HTTP/1.1 401"));
}

TEST_F(ServingDashboard, for_remote_clients_without_a_password_does_not_start) {
  app.dashboard("/-/", {.remote = true});
  EXPECT_THAT(failure_of_start(), HasSubstr("a dashboard for remote clients has a password"));
}

TEST_F(ServingDashboard, sends_what_happens) {
  app.dashboard("/-/", {});
  app.start(quiet());
  get(app.port(), "/hello");
  const std::string text = events();
  EXPECT_THAT(text, HasSubstr(R"("route":"/hello","status_class":2)"));
  EXPECT_THAT(text, HasSubstr(R"(["pool.max_queued_jobs","1024"])"));
  EXPECT_THAT(text, HasSubstr(R"("levels":{"level":"off","parts":[]})"));
  EXPECT_THAT(
      text,
      ContainsRegex(
          R"("loops":\[\{"loop":0,"sockets":[0-9]+,"offloaded":0,"timers":[0-9]+,"posted":[0-9]+,"timer_kinds":\[.*\],"next_timers":\[)"));
}

TEST_F(ServingDashboard, changes_nothing_unless_it_may) {
  app.dashboard("/-/", {.changes = false});
  app.start(quiet());
  EXPECT_THAT(send("PUT", "/-/log/level", R"({"level":"debug"})"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(send("POST", "/-/cancel", R"({"loop":0,"number":1})"), StartsWith("HTTP/1.1 404"));
}

TEST_F(ServingDashboard, refuses_loops_that_are_not_there) {
  app.dashboard("/-/", {});
  app.start(quiet());
  EXPECT_THAT(send("POST", "/-/cancel", R"({"loop":7,"number":1})"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(send("POST", "/-/cancel", R"({"loop":1,"number":99})"), StartsWith("HTTP/1.1 202"));
}

}  // namespace
}  // namespace tern
