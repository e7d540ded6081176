#include "http/local_host.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::http {
namespace {

TEST(LocalHost, is_an_address_or_no_name_of_the_public_dns) {
  for (const char* host :
       {"localhost", "localhost:8080", "LocalHost", "127.0.0.1", "127.0.0.1:80", "127.0.1.1", "10.0.0.7:1", "[::1]",
        "[::1]:8080", "shop.localhost", "a.b.LOCALHOST:1", "backend", "backend:80", ""}) {
    EXPECT_TRUE(is_local_host(host)) << host;
  }
  for (const char* host :
       {"example.org", "example.org:8080", "localhost.example.org", "127.0.0.1.example.org", "localhost.",
        "evil.example.", "127.0.0.1.", "1.2.3.4a", "xlocalhost.org", ".localhost", "a.xlocalhost", "rebind.test:80"}) {
    EXPECT_FALSE(is_local_host(host)) << host;
  }
}

TEST(LocalHosts, are_the_same_however_often_they_are_asked_for) {
  LocalHosts hosts;
  const std::vector<std::string> local = {
      "127.0.0.1:80",   "localhost", "localhost:8080",     "127.0.0.1:8",        "127.0.0.1",
      "shop.localhost", "",          std::string(63, 'a'), std::string(64, 'a'), std::string(400, 'b')};
  const std::vector<std::string> others = {"127.0.0.1.example", "localhos.t", "example.org",
                                           "127.0.0.1.",        "a.b",        std::string(70, 'a') + ".b"};
  for (int round = 0; round < 3; ++round) {
    for (const std::string& host : others) EXPECT_FALSE(hosts.contains(host)) << host;
    for (const std::string& host : local) EXPECT_TRUE(hosts.contains(host)) << host;
  }
  // Text behind a known host, or a part of it.
  EXPECT_FALSE(hosts.contains("127.0.0.1.80.example"));
  EXPECT_FALSE(hosts.contains("localhost.example"));
}

}  // namespace
}  // namespace tern::http
