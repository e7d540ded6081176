#include <tern/app/https_redirect.hpp>
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

class HttpsRedirectTest : public ::testing::Test {
protected:
  void serve(HttpsRedirect redirect) {
    app_.use(std::move(redirect));
    app_.get("/x", [] { return "x"; });
  }
  // Where a request that comes by http is sent, or the status of another answer.
  std::string location(const std::string& target, const std::string& host) {
    MemoryExchange exchange(Method::Get, target, {{"host", host}});
    Reply reply = app_.service().serve(exchange);
    const Response& response = reply.response();
    if (response.status() != Status::PermanentRedirect) return std::to_string(code(response.status()));
    return std::string(response.field("location").value_or(""));
  }

  App app_;
};

TEST_F(HttpsRedirectTest, keeps_host_path_and_query) {
  serve({});
  EXPECT_EQ(location("/x", "example.org"), "https://example.org/x");
  EXPECT_EQ(location("/a%20b/c?d=e&f=%2F", "example.org:8080"), "https://example.org/a%20b/c?d=e&f=%2F");
  EXPECT_EQ(location("//other.example/", "example.org"), "https://example.org//other.example/");
  EXPECT_EQ(location("/x", "[::1]:80"), "https://[::1]/x");
}

TEST_F(HttpsRedirectTest, uses_the_configured_port_and_host) {
  serve({.port = 8443, .host = "www.example.org"});
  EXPECT_EQ(location("/x", "example.org:8080"), "https://www.example.org:8443/x");
  EXPECT_EQ(location("/x", "not a host"), "https://www.example.org:8443/x");
}

TEST_F(HttpsRedirectTest, trusts_no_host_that_is_none) {
  serve({});
  for (const char* host : {"", "a b", "a/b", "a@b", "a\\b", "a:b", "[::1", "[]", "a]", "a?b", "a#b", ":80", "[g::]"}) {
    EXPECT_EQ(location("/x", host), "400") << host;
  }
}

TEST_F(HttpsRedirectTest, lets_requests_over_TLS_pass) {
  serve({});
  MemoryExchange exchange(Method::Get, "/x");
  const TlsFacts facts{.version = "TLSv1.3"};
  exchange.set_tls(facts);
  EXPECT_EQ(app_.service().serve(exchange).response().content(), "x");
}

}  // namespace
}  // namespace tern
