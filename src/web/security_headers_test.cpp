#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <tern/http/memory_exchange.hpp>

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>
#include <string>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::TestResponse;

TEST(SecurityHeaders, every_response_has_them) {
  App app;
  app.use(SecurityHeaders());
  app.get("/", [] { return "hello"; });
  Client client(app);
  for (const char* target : {"/", "/missing"}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.field("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.field("x-frame-options"), "SAMEORIGIN");
    EXPECT_EQ(answer.field("referrer-policy"), "strict-origin-when-cross-origin");
    EXPECT_EQ(answer.field("cross-origin-opener-policy"), "same-origin");
    EXPECT_EQ(answer.field("cross-origin-resource-policy"), "same-origin");
    EXPECT_EQ(answer.field("origin-agent-cluster"), "?1");
    EXPECT_EQ(answer.field("x-permitted-cross-domain-policies"), "none");
    EXPECT_EQ(answer.field("x-xss-protection"), "0");
    for (const char* name : {"content-security-policy", "strict-transport-security", "permissions-policy",
                             "cross-origin-embedder-policy"}) {
      EXPECT_FALSE(answer.has(name)) << name;
    }
  }
}

TEST(SecurityHeaders, options_change_them_and_leave_them_out) {
  App app;
  app.use(SecurityHeaders({.frame_options = "",
                           .permissions_policy = "camera=()",
                           .cross_origin_opener_policy = "unsafe-none",
                           .cross_origin_embedder_policy = "require-corp"}));
  app.get("/", [] { return "hello"; });
  Client client(app);
  const TestResponse answer = client.get("/");
  EXPECT_FALSE(answer.has("x-frame-options"));
  EXPECT_EQ(answer.field("permissions-policy"), "camera=()");
  EXPECT_EQ(answer.field("cross-origin-opener-policy"), "unsafe-none");
  EXPECT_EQ(answer.field("cross-origin-embedder-policy"), "require-corp");
}

TEST(SecurityHeaders, what_a_handler_sets_stays) {
  App app;
  app.use(SecurityHeaders({.policy = ContentSecurityPolicy().allow("default-src", {"'self'"})}));
  app.get("/", [] {
    return Response::text("x").set("X-Frame-Options", "DENY").set("content-security-policy", "default-src 'none'");
  });
  Client client(app);
  const TestResponse answer = client.get("/");
  EXPECT_EQ(answer.field("x-frame-options"), "DENY");
  EXPECT_EQ(answer.field("content-security-policy"), "default-src 'none'");
  EXPECT_EQ(answer.field("x-content-type-options"), "nosniff");
}

TEST(SecurityHeaders, https_only_is_said_over_https_only) {
  App app;
  app.use(SecurityHeaders({.https_only = Seconds(60), .https_only_for_subdomains = true}));
  app.get("/", [] { return "hello"; });
  const auto field_over = [&app](const TlsFacts* tls) {
    MemoryExchange exchange(Method::Get, "/", {{"host", "a"}});
    if (tls != nullptr) exchange.set_tls(*tls);
    Reply reply = app.service().serve(exchange);
    return std::string(reply.response().field("strict-transport-security").value_or("none"));
  };
  const TlsFacts facts;
  EXPECT_EQ(field_over(nullptr), "none");
  EXPECT_EQ(field_over(&facts), "max-age=60; includeSubDomains");
}

// --- Content-Security-Policy ---

TEST(ContentSecurityPolicy, directives_are_joined) {
  const auto policy = ContentSecurityPolicy()
                          .allow("default-src", {"'self'"})
                          .allow("img-src", {"'self'", "https://images.example", "data:"})
                          .allow("upgrade-insecure-requests");
  EXPECT_EQ(policy.text(),
            "default-src 'self'; img-src 'self' https://images.example data:; upgrade-insecure-requests");
}

TEST(ContentSecurityPolicy, mistakes_are_named) {
  const auto fault = [](std::string_view directive, std::initializer_list<std::string_view> sources) -> std::string {
    try {
      ContentSecurityPolicy().allow("default-src", {"'none'"}).allow("x", {}).allow(directive, sources);
    } catch (const SetupError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(fault("script-src", {"self"}), HasSubstr("needs its quotes: \"'self'\""));
  EXPECT_THAT(fault("script-src", {"nonce"}), HasSubstr("needs its quotes"));
  EXPECT_THAT(fault("Default-Src", {"'self'"}), HasSubstr("is there already"));
  EXPECT_THAT(fault("x", {}), HasSubstr("is there already"));
  EXPECT_THAT(fault("script-src", {"'self'; img-src *"}), HasSubstr("is not a source"));
  EXPECT_THAT(fault("script-src", {"a,b"}), HasSubstr("is not a source"));
  EXPECT_THAT(fault("script-src", {""}), HasSubstr("is not a source"));
  EXPECT_THAT(fault("script-src", {"a\r\nb"}), HasSubstr("is not a source"));
  EXPECT_THAT(fault("script src", {}), HasSubstr("is not the name of a directive"));
  EXPECT_EQ(fault("script-src", {"self.example"}), "");
}

TEST(ContentSecurityPolicy, each_response_has_its_own_nonce) {
  App app;
  app.use(SecurityHeaders(
      {.policy = ContentSecurityPolicy().allow("script-src", {"'nonce'"}).allow("style-src", {"'self'", "'nonce'"})}));
  app.get("/", [](Request& request) { return std::string(csp_nonce(request)); });
  Client client(app);
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const TestResponse answer = client.get("/");
    EXPECT_THAT(answer.body, MatchesRegex("[A-Za-z0-9+/]{22}=="));
    EXPECT_EQ(answer.field("content-security-policy"),
              "script-src 'nonce-" + answer.body + "'; style-src 'self' 'nonce-" + answer.body + "'");
    seen.insert(answer.body);
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(ContentSecurityPolicy, of_a_response_in_place_of_the_handlers_has_a_nonce_of_its_own) {
  App app;
  app.use(SecurityHeaders({.policy = ContentSecurityPolicy().allow("script-src", {"'nonce'"})}));
  app.get("/", []() -> Task<std::string> { co_return "late"; });
  MemoryExchange exchange(Method::Get, "/");
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.ready());
  const Response response = app.service().refuse_instead({Status::ServiceUnavailable, "too long", {}, {}}, exchange);
  EXPECT_EQ(response.fields().find("x-content-type-options").value_or(""), "nosniff");
  const std::string policy(response.fields().find("content-security-policy").value_or(""));
  EXPECT_THAT(policy, MatchesRegex("script-src 'nonce-[A-Za-z0-9+/]{22}=='"));
  EXPECT_THAT(policy, ::testing::Not(HasSubstr(std::string(csp_nonce(exchange.request())))));
}

TEST(ContentSecurityPolicy, may_only_report) {
  App app;
  app.use(SecurityHeaders(
      {.policy = ContentSecurityPolicy().allow("default-src", {"'self'"}), .policy_reports_only = true}));
  app.get("/", [] { return "hello"; });
  Client client(app);
  const TestResponse answer = client.get("/");
  EXPECT_EQ(answer.field("content-security-policy-report-only"), "default-src 'self'");
  EXPECT_FALSE(answer.has("content-security-policy"));
}

TEST(ContentSecurityPolicy, a_nonce_without_the_middleware_is_an_error) {
  App app;
  app.get("/", [](Request& request) { return std::string(csp_nonce(request)); });
  Client client(app);
  client.print_reports(false);
  EXPECT_EQ(client.get("/").status, 500);
}

TEST(SecurityHeaders, a_value_with_a_line_break_is_refused_at_the_start) {
  EXPECT_THROW(SecurityHeaders({.referrer_policy = "no-referrer\r\nX-Evil: 1"}), SetupError);
  EXPECT_THROW(SecurityHeaders({.https_only = Seconds(-1)}), SetupError);
}

}  // namespace
}  // namespace tern::web
