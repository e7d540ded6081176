// The optional adapter <tern/json/nlohmann.hpp>.
#include <tern/json/nlohmann.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string round_trip(std::string_view text) {
  const auto value = tern::json::read<json>(text);
  return value ? tern::json::to_string(*value) : value.error().to_string();
}

TEST(Nlohmann, round_trips_every_kind_of_value) {
  for (const std::string_view text : {
           "null",
           "true",
           "0",
           "-1",
           "1.5",
           R"("")",
           R"("a\"b\u0001ü")",
           "[]",
           "{}",
           R"([1,[2,[3]],{"a":{"b":null}}])",
           "9223372036854775807",
           "-9223372036854775808",
           "18446744073709551615",
       }) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(Nlohmann, reads_what_nlohmanns_own_parser_reads) {
  for (const std::string_view text :
       {"7", "-7", "7.0", "1e2", "0", "18446744073709551615", R"({"b":[1,2.5,"x",null,true],"a":{}})"}) {
    const auto value = tern::json::read<json>(text);
    ASSERT_TRUE(value.has_value()) << text;
    const json theirs = json::parse(text);
    EXPECT_EQ(*value, theirs) << text;
    EXPECT_EQ(value->type(), theirs.type()) << text;
  }
}

TEST(Nlohmann, keeps_the_order_of_members_where_the_type_does) {
  const auto value = tern::json::read<ordered_json>(R"({"z":1,"a":2})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(tern::json::to_string(*value), R"({"z":1,"a":2})");
}

TEST(Nlohmann, refuses_deep_nesting_and_broken_text_without_throwing) {
  EXPECT_EQ(tern::json::read<json>(std::string(1'000'000, '[')).error().kind, tern::json::ErrorKind::Syntax);
  EXPECT_EQ(tern::json::read<json>(std::string(65, '[') + std::string(65, ']')).error().kind,
            tern::json::ErrorKind::Syntax);
  EXPECT_TRUE(tern::json::read<json>(std::string(64, '[') + std::string(64, ']')).has_value());
  EXPECT_EQ(tern::json::read<json>("\"\xff\"").error().kind, tern::json::ErrorKind::Syntax);
  EXPECT_FALSE(tern::json::read<json>(R"({"a":1,"a":2})").has_value());
}

TEST(Nlohmann, writes_what_has_no_json_form_as_null_and_bad_utf8_as_replacement) {
  EXPECT_EQ(tern::json::to_string(json(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(tern::json::to_string(json(std::nan(""))), "null");
  EXPECT_EQ(tern::json::to_string(json::binary({1, 2})), "null");
  EXPECT_EQ(tern::json::to_string(json("\xff")), "\"\xEF\xBF\xBD\"");
}

struct Envelope {
  std::string id;
  json content;
};

TEST(Nlohmann, can_be_a_member_of_a_struct) {
  const auto value = tern::json::read<Envelope>(R"({"id":"x","content":[1,{"a":null}]})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->content, json::parse(R"([1,{"a":null}])"));
  EXPECT_EQ(tern::json::to_string(*value), R"({"id":"x","content":[1,{"a":null}]})");
  EXPECT_EQ(tern::json::read<Envelope>(R"({"content":1})").error().to_string(), "/id: missing");
}

TEST(Nlohmann, is_what_handlers_take_and_return) {
  tern::App app;
  app.post("/", [](tern::Json<json> content) { return *content; });
  app.post("/maybe", [](std::optional<tern::Json<json>> content) -> json { return content.has_value(); });
  app.put("/", [](const tern::Json<json>& content) { return tern::Created<json>{*content, "/1"}; });
  app.get("/", []() -> std::optional<json> { return std::nullopt; });
  tern::testing::Client client(app);
  const auto answer = client.post("/", R"({"a":[1,2]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-type"), "application/json");
  EXPECT_EQ(answer.body, R"({"a":[1,2]})");
  EXPECT_EQ(client.post("/", "[1,[2]]").body, "[1,[2]]");
  EXPECT_EQ(client.post("/", "{").status, 400);
  EXPECT_EQ(client.post("/", std::string(100'000, '[')).status, 400);
  EXPECT_EQ(client.post("/maybe", "null").body, "true");
  EXPECT_EQ(client.send({tern::Method::Post, "/maybe"}).body, "false");
  EXPECT_EQ(client.put("/", "[1]").status, 201);
  EXPECT_EQ(client.put("/", "[1]").body, "[1]");
  EXPECT_EQ(client.get("/").status, 404);
}

}  // namespace
