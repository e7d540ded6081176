// The documentation page: its bytes, its policy and its configuration. How it behaves: tests/docs_page/.
#include "app/docs_page.hpp"
#include "app/docs_page_text.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DocsPage, is_below_60000_bytes) {
  EXPECT_LT(DocsPage({}).content().size(), 60'000u);
}

TEST(DocsPage, has_title_and_address_of_the_document_as_text) {
  const DocsPage page(
      {.title = "Books & <script>alert(1)</script> {{document}}", .document = "/v1/openapi.json?a=1&b=2"});
  EXPECT_THAT(page.content(),
              HasSubstr("<title>Books &amp; &lt;script&gt;alert(1)&lt;/script&gt; {{document}}</title>"));
  EXPECT_THAT(page.content(), HasSubstr("data-document=\"/v1/openapi.json?a=1&amp;b=2\""));
  EXPECT_THAT(page.content(), Not(HasSubstr("{{title}}")));
}

TEST(DocsPage, has_a_policy_that_names_its_style_and_script_by_hash_and_no_other_origin) {
  const DocsPage page({});
  const std::string policy(page.policy());
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  EXPECT_THAT(policy, HasSubstr("; style-src 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("; connect-src 'self'; require-trusted-types-for 'script'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
}

TEST(DocsPage, loads_nothing_from_elsewhere) {
  for (const std::string_view part : {"src=\"", "@import", "url(", "<link rel=\"stylesheet\"", "innerHTML", "eval("}) {
    EXPECT_THAT(docs_page_text.page, Not(HasSubstr(part))) << part;
  }
}

TEST(DocsPage, may_connect_to_the_origins_of_servers_and_document) {
  const DocsPage page(
      {.document = "https://docs.example.com/v1/openapi.json", .connect_to = {"https://api.example.com:8443/v1"}});
  EXPECT_THAT(page.policy(), HasSubstr("; connect-src 'self' https://docs.example.com https://api.example.com:8443;"));
}

TEST(DocsPage, is_answered_with_304_to_a_client_that_has_it) {
  const DocsPage page({.title = "Books"});
  App app;
  app.get("/docs", [&page](const Request& request) { return page.respond(request); });
  testing::Client client(app);
  const testing::TestResponse first = client.get("/docs");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, page.content());
  EXPECT_EQ(first.field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(first.field("x-content-type-options"), "nosniff");
  const std::string etag(first.field("etag"));
  const testing::TestResponse second =
      client.send({.target = "/docs", .fields = {{"If-None-Match", "\"other\", " + etag}}});
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(second.field("content-security-policy"), page.policy());
  EXPECT_EQ(client.send({.target = "/docs", .fields = {{"If-None-Match", "\"other\""}}}).status, 200);
}

TEST(DocsPage, loads_swagger_ui_from_the_given_address_only) {
  const DocsPage page({.viewer = DocsViewer::SwaggerUi, .viewer_address = "https://cdn.example.com/swagger-ui-dist/"});
  EXPECT_THAT(page.content(), HasSubstr("src=\"https://cdn.example.com/swagger-ui-dist/swagger-ui-bundle.js\""));
  EXPECT_THAT(page.policy(), HasSubstr("script-src https://cdn.example.com 'sha256-"));
  EXPECT_THAT(page.policy(), HasSubstr("style-src https://cdn.example.com 'unsafe-inline'"));
}

TEST(DocsPage, loads_scalar_from_the_application_itself) {
  const DocsPage page({.viewer = DocsViewer::Scalar, .viewer_address = "/assets/scalar.js"});
  EXPECT_THAT(page.content(), HasSubstr("data-url=\"openapi.json\"></script><script src=\"/assets/scalar.js\">"));
  EXPECT_THAT(page.policy(), HasSubstr("script-src 'self';"));
}

TEST(DocsPage, names_the_mistake_in_a_configuration) {
  EXPECT_EQ(docs_page_mistake({}), "");
  EXPECT_THAT(docs_page_mistake({.document = ""}), HasSubstr("'' is no address of a document"));
  EXPECT_THAT(docs_page_mistake({.document = "a; script-src *"}), HasSubstr("'a; script-src *' is no address"));
  EXPECT_THAT(docs_page_mistake({.connect_to = {"*"}}), HasSubstr("'*' is no origin"));
  for (const char* address : {"//elsewhere.example/openapi.json", "ftp://elsewhere.example/a", "javascript:alert(1)",
                              "https://", "https:///a", "a b"}) {
    EXPECT_THAT(docs_page_mistake({.document = address}), HasSubstr("is no address of a document")) << address;
    EXPECT_THAT(docs_page_mistake({.connect_to = {address}}), HasSubstr("is no origin")) << address;
    EXPECT_THAT(docs_page_mistake({.viewer = DocsViewer::Scalar, .viewer_address = address}),
                HasSubstr("is no address to load"))
        << address;
  }
  EXPECT_EQ(
      docs_page_mistake({.document = "../v1/openapi.json?at=10:30", .connect_to = {"https://api.example.com:8443"}}),
      "");
  EXPECT_THAT(docs_page_mistake({.viewer = DocsViewer::Scalar}), HasSubstr("'' is no address to load the viewer from"));
  EXPECT_THAT(docs_page_mistake({.viewer_address = "https://cdn.example.com"}),
              HasSubstr("needs the viewer SwaggerUi or Scalar"));
}

}  // namespace
}  // namespace tern::app
