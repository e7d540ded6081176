#include "http/local_host.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tern::http
