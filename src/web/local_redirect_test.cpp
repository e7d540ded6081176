#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace tern::web {
namespace {

TEST(LocalRedirect, leads_to_paths_of_this_site) {
  for (const std::string_view target :
       {"/", "/a", "/a?next=//b", "/a#b", "/a//b", "/a:b", "/%2f%2fevil.example", "/@b"}) {
    EXPECT_TRUE(is_local_target(target)) << target;
    EXPECT_EQ(local_redirect(target).field("location"), target);
  }
  EXPECT_EQ(local_redirect("/a b\xc3\xa9").field("location"), "/a%20b%C3%A9");
  EXPECT_EQ(local_redirect("/a").status(), Status::SeeOther);
  EXPECT_EQ(local_redirect("/a", Status::TemporaryRedirect).status(), Status::TemporaryRedirect);
}

TEST(LocalRedirect, does_not_lead_elsewhere) {
  using namespace std::string_view_literals;
  for (const std::string_view target : {""sv,
                                        "a"sv,
                                        "//evil.example"sv,
                                        "///evil.example"sv,
                                        "/\\evil.example"sv,
                                        "\\evil.example"sv,
                                        "\\\\evil.example"sv,
                                        "https:evil.example"sv,
                                        "https://evil.example"sv,
                                        "https:/evil.example"sv,
                                        "HTTPS:\\evil.example"sv,
                                        "javascript:alert(1)"sv,
                                        "data:text/html,x"sv,
                                        " //evil.example"sv,
                                        "\t//evil.example"sv,
                                        "/\t/evil.example"sv,
                                        "/\n/evil.example"sv,
                                        "/\r\nSet-Cookie: a=b"sv,
                                        "/a\r\n\r\n<script>"sv,
                                        "/\0/evil.example"sv,
                                        "/a\x7f"sv,
                                        "?next=//evil.example"sv,
                                        "@evil.example"sv,
                                        "\xef\xbc\x8f/evil.example"sv}) {
    EXPECT_FALSE(is_local_target(target)) << target;
    EXPECT_THROW(static_cast<void>(local_redirect(target)), HttpError) << target;
  }
}

TEST(LocalRedirect, answers_400_to_the_target_of_an_attacker) {
  App app;
  app.get("/login", [](QueryParam<"next", std::string> next) { return local_redirect(*next); });
  testing::Client client(app);
  EXPECT_EQ(client.get("/login?next=%2Fbooks").field("location"), "/books");
  for (const char* next : {"%2F%2Fevil.example", "%2F%5Cevil.example", "https%3Aevil.example", "%2F%0d%0aX%3A%20y",
                           "%2F%09%2Fevil.example"}) {
    EXPECT_EQ(client.get(std::string("/login?next=") + next).status, 400) << next;
  }
}

// --- Line ends in values of fields, cookies and redirects ---

class ForgedFields : public ::testing::TestWithParam<std::string_view> {};

TEST_P(ForgedFields, are_refused_wherever_a_value_reaches_a_response) {
  const std::string evil = "a" + std::string(GetParam()) + "b";
  Response response;
  EXPECT_THROW(response.set("X-Name", evil), std::invalid_argument);
  EXPECT_THROW(response.add("X-Name", evil), std::invalid_argument);
  EXPECT_THROW(response.set(evil, "value"), std::invalid_argument);
  EXPECT_THROW(response.set("Content-Type", evil), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(Response::bytes(evil, "")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(Response::redirect("/" + evil)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(Response::redirect("https://example.org/" + evil)), std::invalid_argument);
  EXPECT_THROW(response.set_cookie({.name = "name", .value = evil}), std::invalid_argument);
  EXPECT_THROW(response.set_cookie({.name = evil, .value = "value"}), std::invalid_argument);
  EXPECT_THROW(response.set_cookie({.name = "name", .value = "value", .path = "/" + evil}), std::invalid_argument);
  EXPECT_THROW(response.set_cookie({.name = "name", .value = "value", .domain = evil}), std::invalid_argument);
  EXPECT_THROW(HttpError(Status::BadRequest).set("X-Name", evil), std::invalid_argument);
  EXPECT_TRUE(response.fields().empty());
}

INSTANTIATE_TEST_SUITE_P(LocalRedirect, ForgedFields,
                         ::testing::Values(std::string_view("\r\n"), std::string_view("\n"), std::string_view("\r"),
                                           std::string_view("\0", 1), std::string_view("\r\nSet-Cookie: a=b\r\n")));

TEST(ForgedFields, a_handler_that_echoes_them_gets_a_500_and_nothing_is_forged) {
  App app;
  app.get("/echo", [](QueryParam<"value", std::string> value) { return Response().set("X-Echo", *value); });
  app.get("/to", [](QueryParam<"value", std::string> value) { return Response::redirect(*value); });
  app.get("/created", [](QueryParam<"value", std::string> value) { return created(1, *value); });
  testing::Client client(app);
  client.print_reports(false);
  for (const char* path : {"/echo", "/to", "/created"}) {
    const auto response = client.get(std::string(path) + "?value=a%0d%0aSet-Cookie:%20admin=1");
    EXPECT_EQ(response.status, 500) << path;
    EXPECT_FALSE(response.has("set-cookie"));
  }
}

}  // namespace
}  // namespace tern::web
