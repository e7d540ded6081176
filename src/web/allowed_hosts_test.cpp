#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::web {
namespace {

int status_for(const std::string& host, const std::string& target = "/") {
  App app;
  app.use(AllowedHosts({"example.org", "*.example.net", "127.0.0.1", "[::1]"}));
  app.get("/", [] { return "hello"; });
  testing::Client client(app);
  return client.send({.target = target, .fields = {{"host", host}}}).status;
}

TEST(AllowedHosts, listed_hosts_are_served_at_any_port) {
  for (const char* host : {"example.org", "EXAMPLE.ORG", "example.org:8080", "a.example.net", "a.b.example.net:1",
                           "127.0.0.1:8080", "[::1]", "[::1]:8080"}) {
    EXPECT_EQ(status_for(host), 200) << host;
  }
}

TEST(AllowedHosts, others_get_421_also_where_nothing_is) {
  for (const char* host : {"evil.com", "example.org.evil.com", "evilexample.org", "example.net", "evilexample.net",
                           ".example.net", "127.0.0.2", "[::2]", "localhost", "example.org."}) {
    EXPECT_EQ(status_for(host), 421) << host;
    EXPECT_EQ(status_for(host, "/missing"), 421) << host;
  }
}

TEST(AllowedHosts, what_is_no_host_is_not_served) {
  for (const char* host : {"", "example.org:", "example.org:x", "example.org@evil.com", "[::1", "::1", "a b"}) {
    EXPECT_GE(status_for(host), 400) << host;
  }
}

TEST(AllowedHosts, the_list_has_hosts) {
  for (const char* host : {"https://example.org", "example.org:80", "example.org/", "", "*", "*.", "a b", "::1"}) {
    EXPECT_THROW(AllowedHosts({host}), SetupError) << host;
  }
  EXPECT_THROW(AllowedHosts({}), SetupError);
}

}  // namespace
}  // namespace tern::web
