#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <tern/http/memory_exchange.hpp>

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestRequest;
using testing::TestResponse;

const std::string allow_origin = "access-control-allow-origin";

TestResponse from(Client& client, const std::string& origin, Method method = Method::Get,
                  const std::string& target = "/") {
  return client.send({.method = method, .target = target, .fields = {{"origin", origin}}});
}

TestResponse preflight(Client& client, const std::string& origin, const std::string& method,
                       const std::string& target = "/", std::vector<std::pair<std::string, std::string>> more = {}) {
  TestRequest request{.method = Method::Options,
                      .target = target,
                      .fields = {{"origin", origin}, {"access-control-request-method", method}}};
  for (auto& field : more) request.fields.push_back(std::move(field));
  return client.send(request);
}

class CorsTest : public ::testing::Test {
protected:
  // An app with "/" for GET and PUT, and one that throws.
  Client& client(CorsOptions options) {
    app_.use(Cors(std::move(options)));
    app_.get("/", [] { return "hello"; });
    app_.put("/", [] { return "stored"; });
    app_.get("/throws", []() -> std::string { throw std::runtime_error("no"); });
    return client_.emplace(app_);
  }

private:
  App app_;
  std::optional<Client> client_;
};

TEST_F(CorsTest, a_listed_origin_may_read_the_response) {
  Client& tested =
      client({.origins = {"https://example.org", "http://localhost:3000"}, .exposed = {"X-Total", "Link"}});
  for (const char* origin :
       {"https://example.org", "http://localhost:3000", "https://example.org:443", "https://EXAMPLE.org"}) {
    const TestResponse answer = from(tested, origin);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.field(allow_origin), origin);
    EXPECT_EQ(answer.field("vary"), "origin");
    EXPECT_EQ(answer.field("access-control-expose-headers"), "X-Total, Link");
    EXPECT_FALSE(answer.has("access-control-allow-credentials"));
  }
}

TEST_F(CorsTest, with_all_origins_the_response_does_not_depend_on_them) {
  Client& tested = client({.origins = {"*"}, .exposed = {"X-Total"}});
  const TestResponse without = tested.get("/");
  const TestResponse with = from(tested, "https://example.org");
  for (const TestResponse* answer : {&without, &with}) {
    EXPECT_FALSE(answer->has("vary"));
    EXPECT_EQ(answer->field(allow_origin), "*");
    EXPECT_EQ(answer->field("access-control-expose-headers"), "X-Total");
  }
}

TEST_F(CorsTest, other_origins_are_served_without_permission) {
  Client& tested = client({.origins = {"https://example.org", "https://*.example.net"}});
  for (const char* origin : {"http://example.org",
                             "http://example.org:443",
                             "https://example.org:8443",
                             "https://example.org.evil.com",
                             "https://evil-example.org",
                             "https://sub.example.org",
                             "https://example.net",
                             "https://evilexample.net",
                             "https://a.example.net.evil.com",
                             "https://.example.net",
                             "null",
                             "",
                             "https://",
                             "https://example.org/",
                             "example.org",
                             "https://user@example.org",
                             "https://example.org:0",
                             "https://example.org:99999",
                             "file://example.org",
                             "https://example.org:443:443",
                             "https://example.org, https://example.org"}) {
    const TestResponse answer = from(tested, origin);
    EXPECT_EQ(answer.status, 200) << origin;
    EXPECT_FALSE(answer.has(allow_origin)) << origin;
    EXPECT_EQ(answer.field("vary"), "origin") << origin;
  }
  EXPECT_EQ(from(tested, "https://a.b.example.net").field(allow_origin), "https://a.b.example.net");
}

TEST_F(CorsTest, a_request_without_origin_varies_too) {
  Client& tested = client({.origins = {"https://example.org"}});
  const TestResponse answer = tested.get("/");
  EXPECT_EQ(answer.field("vary"), "origin");
  EXPECT_FALSE(answer.has(allow_origin));
}

TEST_F(CorsTest, a_star_allows_all_and_does_not_vary) {
  Client& tested = client({.origins = {"*"}});
  const TestResponse answer = from(tested, "null");
  EXPECT_EQ(answer.field(allow_origin), "*");
  EXPECT_FALSE(answer.has("vary"));
}

TEST_F(CorsTest, a_function_may_decide) {
  Client& tested =
      client({.allows = [](std::string_view origin) { return origin.ends_with(":4711"); }, .credentials = true});
  EXPECT_EQ(from(tested, "http://a:4711").field(allow_origin), "http://a:4711");
  EXPECT_EQ(from(tested, "http://a:4711").field("access-control-allow-credentials"), "true");
  EXPECT_FALSE(from(tested, "http://a:4712").has(allow_origin));
  EXPECT_FALSE(from(tested, "http://a:4712").has("access-control-allow-credentials"));
}

TEST_F(CorsTest, a_preflight_is_answered_with_what_is_allowed) {
  Client& tested = client({.origins = {"https://example.org"},
                           .credentials = true,
                           .methods = {"GET", "PUT"},
                           .headers = {"Authorization", "Content-Type"},
                           .max_age = Seconds(60)});
  const TestResponse answer =
      preflight(tested, "https://example.org", "PUT", "/", {{"access-control-request-headers", "authorization"}});
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field(allow_origin), "https://example.org");
  EXPECT_EQ(answer.field("access-control-allow-credentials"), "true");
  EXPECT_EQ(answer.field("access-control-allow-methods"), "GET, PUT");
  EXPECT_EQ(answer.field("access-control-allow-headers"), "Authorization, Content-Type");
  EXPECT_EQ(answer.field("access-control-max-age"), "60");
  EXPECT_THAT(std::string(answer.field("vary")), HasSubstr("access-control-request-method"));
  EXPECT_FALSE(answer.has("access-control-allow-private-network"));
}

TEST_F(CorsTest, empty_lists_allow_what_is_asked_for) {
  Client& tested = client({.origins = {"https://example.org"}, .max_age = std::nullopt});
  const TestResponse answer =
      preflight(tested, "https://example.org", "PURGE", "/", {{"access-control-request-headers", "x-one, x-two"}});
  EXPECT_EQ(answer.field("access-control-allow-methods"), "PURGE");
  EXPECT_EQ(answer.field("access-control-allow-headers"), "x-one, x-two");
  EXPECT_FALSE(answer.has("access-control-max-age"));
}

TEST_F(CorsTest, a_preflight_of_another_origin_gets_no_permission) {
  Client& tested = client({.origins = {"https://example.org"}, .private_network = true});
  const TestResponse answer =
      preflight(tested, "https://evil.com", "PUT", "/", {{"access-control-request-private-network", "true"}});
  EXPECT_EQ(answer.status, 204);
  for (const auto& [name, value] : answer.fields) EXPECT_FALSE(name.starts_with("access-control-")) << name;
  EXPECT_THAT(std::string(answer.field("vary")), HasSubstr("origin"));
}

TEST_F(CorsTest, private_networks_are_opened_by_choice) {
  Client& tested = client({.origins = {"https://example.org"}, .private_network = true});
  const auto ask = [&tested](std::vector<std::pair<std::string, std::string>> more) {
    return preflight(tested, "https://example.org", "GET", "/", std::move(more))
        .has("access-control-allow-private-network");
  };
  EXPECT_TRUE(ask({{"access-control-request-private-network", "true"}}));
  EXPECT_FALSE(ask({}));
}

TEST_F(CorsTest, errors_and_missing_paths_have_the_fields) {
  Client& tested = client({.origins = {"https://example.org"}});
  EXPECT_EQ(from(tested, "https://example.org", Method::Get, "/missing").field(allow_origin), "https://example.org");
  EXPECT_EQ(from(tested, "https://example.org", Method::Delete).field(allow_origin), "https://example.org");
  EXPECT_EQ(from(tested, "https://example.org", Method::Get, "/throws").status, 500);
  EXPECT_EQ(from(tested, "https://example.org", Method::Get, "/throws").field(allow_origin), "https://example.org");
  EXPECT_EQ(preflight(tested, "https://example.org", "GET", "/missing").field(allow_origin), "https://example.org");
}

TEST_F(CorsTest, other_requests_with_options_pass) {
  Client& tested = client({.origins = {"https://example.org"}});
  const TestResponse answer = from(tested, "https://example.org", Method::Options);
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, PUT, OPTIONS");
  EXPECT_EQ(answer.field(allow_origin), "https://example.org");
}

TEST_F(CorsTest, a_response_keeps_its_own_vary) {
  App app;
  app.use(Cors({.origins = {"https://example.org"}}));
  app.get("/", [] { return Response::text("x").set("vary", "accept"); });
  Client tested(app);
  EXPECT_EQ(from(tested, "https://example.org").field("vary"), "accept, origin");
}

// --- Its place among other middleware ---

TEST(CorsPlace, is_in_front_of_middleware_that_was_registered_earlier) {
  App app;
  app.use([](Request& request, Next) {
    return Response::text("who are you?").status(Status::Unauthorized).set("x-path", request.path());
  });
  app.use(Cors({.origins = {"https://example.org"}}));
  app.put("/", [] { return "stored"; });
  Client client(app);
  EXPECT_EQ(preflight(client, "https://example.org", "PUT").status, 204);
  const TestResponse refused = from(client, "https://example.org", Method::Put);
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.field(allow_origin), "https://example.org");
}

TEST(CorsPlace, of_one_route_sees_its_preflight) {
  App app;
  app.use([](Request&, Next) -> Reply { return Response(Status::Unauthorized); });
  app.get("/books/{id}", [](int) { return "book"; });
  app.put("/books/{id}", [](int) { return "stored"; }).use(Cors({.origins = {"https://example.org"}}));
  Client client(app);
  EXPECT_EQ(preflight(client, "https://example.org", "PUT", "/books/7").field(allow_origin), "https://example.org");
  EXPECT_EQ(preflight(client, "https://example.org", "GET", "/books/7").status, 401);
  EXPECT_EQ(preflight(client, "https://example.org", "DELETE", "/books/7").status, 401);
  EXPECT_EQ(preflight(client, "https://example.org", "NO SUCH", "/books/7").status, 401);
}

TEST(CorsPlace, of_a_group_serves_only_its_paths) {
  App app;
  Group api = app.group("/api");
  api.use(Cors({.origins = {"https://example.org"}}));
  api.put("/items", [] { return "stored"; });
  app.put("/items", [] { return "stored"; });
  Client client(app);
  EXPECT_EQ(preflight(client, "https://example.org", "PUT", "/api/items").field(allow_origin), "https://example.org");
  EXPECT_FALSE(preflight(client, "https://example.org", "PUT", "/items").has(allow_origin));
  EXPECT_EQ(preflight(client, "https://example.org", "PUT", "/items").field("allow"), "PUT, OPTIONS");
}

TEST(CorsPlace, of_a_mounted_app_is_in_front_of_the_outer_middleware) {
  App inner;
  inner.use(Cors({.origins = {"https://example.org"}}));
  inner.put("/items", [] { return "stored"; });
  App app;
  app.use([](Request&, Next) -> Reply { return Response(Status::Unauthorized); });
  app.mount("/inner", std::move(inner));
  Client client(app);
  EXPECT_EQ(preflight(client, "https://example.org", "PUT", "/inner/items").field(allow_origin), "https://example.org");
}

TEST(CorsPlace, a_handler_that_waits_gets_the_fields) {
  App app;
  app.use(Cors({.origins = {"https://example.org"}}));
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    co_return "late";
  });
  Client client(app);
  EXPECT_EQ(from(client, "https://example.org").field(allow_origin), "https://example.org");
}

TEST(CorsRefusal, a_response_in_place_of_the_handlers_has_the_fields) {
  App app;
  app.use(Cors({.origins = {"https://example.org"}, .credentials = true, .exposed = {"X-Total"}}));
  app.get("/", []() -> Task<std::string> { co_return "late"; });
  for (const std::string origin : {"https://example.org", "https://evil.example"}) {
    MemoryExchange exchange(Method::Get, "/", {{"origin", origin}});
    Reply reply = app.service().serve(exchange);
    ASSERT_FALSE(reply.ready());
    const Response response = app.service().refuse_instead({Status::ServiceUnavailable, "too long", {}, {}}, exchange);
    EXPECT_EQ(response.status(), Status::ServiceUnavailable);
    const bool allowed = origin == "https://example.org";
    EXPECT_EQ(response.fields().find(allow_origin).value_or(""), allowed ? origin : "");
    EXPECT_EQ(response.fields().find("access-control-allow-credentials").value_or(""), allowed ? "true" : "");
    EXPECT_EQ(response.fields().find("access-control-expose-headers").value_or(""), allowed ? "X-Total" : "");
    EXPECT_EQ(response.fields().find("vary").value_or(""), "origin");
  }
}

// --- Setup ---

std::string fault(CorsOptions options) {
  try {
    Cors made(std::move(options));
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

TEST(CorsSetup, errors_name_what_is_wrong) {
  EXPECT_THAT(fault({}), HasSubstr("no origin is allowed"));
  EXPECT_THAT(fault({.origins = {"*"}, .credentials = true}), HasSubstr("with credentials"));
  EXPECT_THAT(fault({.origins = {"*", "https://example.org"}}), HasSubstr("stands alone"));
  for (const char* origin : {"example.org", "https://example.org/", "https://*", "https://a.*.org", "null", "",
                             "https://*.", "ftp://example.org", "https://exa mple.org"}) {
    EXPECT_THAT(fault({.origins = {origin}}), HasSubstr("is not an origin")) << origin;
  }
  EXPECT_THAT(fault({.origins = {"https://a"}, .methods = {"GET PUT"}}), HasSubstr("CorsOptions::methods"));
  EXPECT_THAT(fault({.origins = {"https://a"}, .headers = {"x:y"}}), HasSubstr("CorsOptions::headers"));
  EXPECT_THAT(fault({.origins = {"https://a"}, .exposed = {"a\r\nb"}}), HasSubstr("CorsOptions::exposed"));
  EXPECT_THAT(fault({.origins = {"https://a"}, .max_age = Seconds(-1)}), HasSubstr("max_age"));
  EXPECT_EQ(fault({.origins = {"https://a", "http://[::1]:8080", "https://*.example.org:8443"}}), "");
}

}  // namespace
}  // namespace tern::web
