#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;

bool if_match(const std::string& field, std::optional<std::string_view> current) {
  MemoryExchange exchange(Method::Put, "/", {{"If-Match", field}});
  return IfMatch(exchange.request()).matches(current);
}

TEST(IfMatch, compares_strongly) {
  EXPECT_TRUE(if_match("\"a\"", "\"a\""));
  EXPECT_TRUE(if_match("\"x\", \"a\"", "\"a\""));
  EXPECT_TRUE(if_match("*", "\"a\""));
  EXPECT_FALSE(if_match("\"b\"", "\"a\""));
  EXPECT_FALSE(if_match("W/\"a\"", "\"a\""));
  EXPECT_FALSE(if_match("W/\"a\"", "W/\"a\""));
  EXPECT_FALSE(if_match("a", "\"a\""));
  EXPECT_FALSE(if_match("", "\"a\""));
  EXPECT_FALSE(if_match("\"*\"", "\"a\""));
}

TEST(IfMatch, nothing_matches_what_is_not_there) {
  EXPECT_FALSE(if_match("*", std::nullopt));
  EXPECT_FALSE(if_match("\"a\"", std::nullopt));
}

TEST(IfMatch, a_tag_without_quotes_is_an_error_of_the_program) {
  for (const char* tag : {"a", "", "\"a", "\"a\" ", "\"a\", \"b\"", "w/\"a\"", "*", "\"a b\""}) {
    EXPECT_THROW(if_match("*", tag), std::invalid_argument) << tag;
  }
}

class IfMatchHandlers : public ::testing::Test {
protected:
  IfMatchHandlers() {
    app.put("/books/7", [this](IfMatch match) {
      match.require(version);
      return Response().set("ETag", version_tag(static_cast<std::uint64_t>(++version)));
    });
    app.put("/books/8", [](IfMatch match) { match.require(std::nullopt); });
    app.del("/books/7", [](std::optional<IfMatch> match) { return match ? "checked" : "not checked"; });
  }
  testing::TestResponse put(const std::string& target, const std::string& match) {
    return client().send({.method = Method::Put, .target = target, .fields = {{"if-match", match}}});
  }
  Client& client() {
    if (!client_) client_.emplace(app);
    return *client_;
  }

  int version = 1;
  App app;

private:
  std::optional<Client> client_;
};

TEST_F(IfMatchHandlers, the_second_of_two_writers_loses) {
  const auto first = put("/books/7", "\"1\"");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.field("etag"), "\"2\"");
  EXPECT_EQ(put("/books/7", "\"1\"").status, 412);
  EXPECT_EQ(put("/books/7", "\"2\"").status, 200);
  EXPECT_EQ(put("/books/8", "*").status, 412);
}

TEST_F(IfMatchHandlers, a_request_without_the_field_gets_428) {
  const auto refused = client().put("/books/7", "");
  EXPECT_EQ(refused.status, 428);
  EXPECT_THAT(refused.body, HasSubstr("If-Match"));
  EXPECT_EQ(client().del("/books/7").body, "not checked");
  EXPECT_EQ(version, 1);
}

TEST_F(IfMatchHandlers, the_contract_has_the_field_and_its_refusals) {
  app.openapi({.title = "Books", .version = "1"});
  const std::string document = client().get("/openapi.json").body;
  EXPECT_THAT(document, HasSubstr("If-Match"));
  EXPECT_THAT(document, HasSubstr("\"428\""));
  EXPECT_THAT(document, HasSubstr("\"412\""));
}

}  // namespace
}  // namespace tern::web
