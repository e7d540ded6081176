#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using Fields = std::vector<std::pair<std::string, std::string>>;

class CrossOriginProtectionTest : public ::testing::Test {
protected:
  CrossOriginProtectionTest() {
    app_.use(CrossOriginProtection({"https://trusted.example", "https://*.partner.example"}));
    for (const Method method : {Method::Get, Method::Post, Method::Put, Method::Delete, Method::Query}) {
      app_.on(method, "/", [this] {
        ++served;
        return "done";
      });
    }
  }
  int post(Fields fields, const std::string& host = "shop.example", Method method = Method::Post) {
    fields.emplace_back("host", host);
    if (method == Method::Query) fields.emplace_back("content-type", "text/plain");
    return client().send({.method = method, .fields = std::move(fields)}).status;
  }
  Client& client() {
    if (!client_) client_.emplace(app_);
    return *client_;
  }

  int served = 0;

private:
  App app_;
  std::optional<Client> client_;
};

TEST_F(CrossOriginProtectionTest, a_browser_says_where_a_request_comes_from) {
  EXPECT_EQ(post({{"sec-fetch-site", "same-origin"}}), 200);
  EXPECT_EQ(post({{"sec-fetch-site", "none"}}), 200);  // typed in, or a bookmark
  EXPECT_EQ(post({{"sec-fetch-site", "cross-site"}}), 403);
  EXPECT_EQ(post({{"sec-fetch-site", "same-site"}}), 403);  // a subdomain may belong to someone else
  EXPECT_EQ(post({{"sec-fetch-site", "Same-Origin"}}), 403);
  EXPECT_EQ(post({{"sec-fetch-site", ""}}), 403);
  EXPECT_EQ(served, 2);
}

TEST_F(CrossOriginProtectionTest, the_browsers_word_counts_more_than_the_origin) {
  EXPECT_EQ(post({{"sec-fetch-site", "cross-site"}, {"origin", "https://shop.example"}}), 403);
  EXPECT_EQ(post({{"sec-fetch-site", "same-origin"}, {"origin", "null"}}), 200);  // by the referrer policy
}

TEST_F(CrossOriginProtectionTest, without_it_the_origin_is_compared_with_the_host) {
  EXPECT_EQ(post({{"origin", "https://shop.example"}}), 200);
  EXPECT_EQ(post({{"origin", "https://SHOP.example"}}), 200);
  EXPECT_EQ(post({{"origin", "https://shop.example:443"}}), 200);
  EXPECT_EQ(post({{"origin", "http://shop.example"}}, "shop.example:80"), 200);
  EXPECT_EQ(post({{"origin", "http://shop.example:8080"}}, "shop.example:8080"), 200);
  EXPECT_EQ(post({{"origin", "http://[::1]:8080"}}, "[::1]:8080"), 200);
  for (const char* origin :
       {"https://evil.example", "https://shop.example.evil.com", "https://evilshop.example",
        "https://shop.example:8443", "null", "", "https://", "shop.example", "https://shop.example/"}) {
    EXPECT_EQ(post({{"origin", origin}}), 403) << origin;
  }
}

TEST_F(CrossOriginProtectionTest, behind_a_trusted_proxy_the_forwarded_host_counts) {
  const auto send = [this](bool trusted, Fields fields) {
    fields.emplace_back("host", "backend:8080");
    fields.emplace_back("origin", "https://shop.example");
    return client().send({.method = Method::Post, .fields = std::move(fields), .from_trusted_proxy = trusted}).status;
  };
  EXPECT_EQ(send(true, {{"x-forwarded-host", "shop.example"}}), 200);
  EXPECT_EQ(send(true, {{"x-forwarded-host", "other.example"}}), 403);
  EXPECT_EQ(send(true, {{"x-forwarded-host", "shop.example, other.example"}}), 403);
  EXPECT_EQ(send(true, {{"x-forwarded-host", "shop.example"}, {"x-forwarded-host", "shop.example"}}), 403);
  EXPECT_EQ(send(true, {}), 403);
  EXPECT_EQ(send(false, {{"x-forwarded-host", "shop.example"}}), 403);
}

TEST_F(CrossOriginProtectionTest, clients_that_are_no_browsers_pass) {
  EXPECT_EQ(post({}), 200);
  EXPECT_EQ(post({{"authorization", "Bearer x"}}), 200);
}

TEST_F(CrossOriginProtectionTest, trusted_origins_pass) {
  EXPECT_EQ(post({{"sec-fetch-site", "cross-site"}, {"origin", "https://trusted.example"}}), 200);
  EXPECT_EQ(post({{"sec-fetch-site", "same-site"}, {"origin", "https://a.partner.example"}}), 200);
  EXPECT_EQ(post({{"origin", "https://trusted.example"}}), 200);
  EXPECT_EQ(post({{"sec-fetch-site", "cross-site"}, {"origin", "http://trusted.example"}}), 403);
  EXPECT_EQ(post({{"sec-fetch-site", "cross-site"}, {"origin", "https://partner.example"}}), 403);
}

TEST_F(CrossOriginProtectionTest, safe_methods_pass_and_all_others_do_not) {
  for (const Method method : {Method::Get, Method::Head, Method::Options, Method::Query}) {
    EXPECT_LT(post({{"sec-fetch-site", "cross-site"}}, "shop.example", method), 300) << static_cast<int>(method);
  }
  for (const Method method : {Method::Post, Method::Put, Method::Delete, Method::Patch}) {
    EXPECT_EQ(post({{"sec-fetch-site", "cross-site"}}, "shop.example", method), 403) << static_cast<int>(method);
  }
}

TEST_F(CrossOriginProtectionTest, fields_that_come_twice_are_refused) {
  EXPECT_EQ(post({{"sec-fetch-site", "same-origin"}, {"sec-fetch-site", "cross-site"}}), 403);
  EXPECT_EQ(post({{"origin", "https://shop.example"}, {"origin", "https://evil.example"}}), 403);
}

TEST(CrossOriginProtectionSetup, a_malformed_origin_is_named) {
  try {
    CrossOriginProtection made({"trusted.example"});
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_NE(std::string(error.what()).find("CrossOriginProtection: 'trusted.example' is not an origin"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tern::web
