// Rules of placeholders that are taken by position.
#include <tern/rules.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace placeholders {

struct Year : tern::Placeholder<int> {};
struct Slug : tern::Placeholder<std::string> {};
struct Name : tern::Placeholder<std::string_view> {};
struct Free : tern::Placeholder<std::int64_t> {};
struct Limit : tern::QueryParam<"limit", int, 1> {};
struct Broken : tern::Placeholder<std::string> {};

}  // namespace placeholders

using placeholders::Broken;
using placeholders::Free;
using placeholders::Limit;
using placeholders::Name;
using placeholders::Slug;
using placeholders::Year;

template <>
struct tern::Rules<Year> {
  static constexpr auto list = tern::rules(tern::range(1450, 2100), tern::describe("Of the first edition"));
};
template <>
struct tern::Rules<Slug> {
  static constexpr auto list = tern::rules(tern::pattern("^[a-z-]+$", "must be lower-case"), tern::max_length(8));
};
template <>
struct tern::Rules<Name> {
  static constexpr auto list = tern::rules(tern::length(2, 3));
};
template <>
struct tern::Rules<Limit> {
  static constexpr auto list = tern::rules(tern::range(1, 100));
};
template <>
struct tern::Rules<Broken> {
  static constexpr auto list = tern::rules(tern::pattern("("));
};

namespace {

using tern::testing::Client;
using ::testing::HasSubstr;

TEST(Placeholder, has_its_rules_by_position) {
  tern::App app;
  app.get("/{year}/{slug}", [](Year year, const Slug& slug) { return std::to_string(*year) + *slug; });
  Client client(app);
  EXPECT_EQ(client.get("/1984/dune").body, "1984dune");
  EXPECT_EQ(client.get("/x/dune").status, 404);
  const auto refused = client.get("/1449/Dune-Messiah");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr(R"({"detail":"must be at least 1450","pointer":"year","in":"path",)"
                                      R"("code":"minimum","expected":1450})"));
  EXPECT_THAT(refused.body, HasSubstr(R"({"detail":"must be lower-case","pointer":"slug","in":"path")"));
  EXPECT_THAT(refused.body, HasSubstr(R"("code":"max_length","expected":8})"));
}

TEST(Placeholder, is_mixed_with_plain_ones_and_with_other_parameters) {
  tern::App app;
  app.get("/{shop}/{year}/{n}", [](std::string_view shop, Year year, int n, Limit limit) {
    return std::string(shop) + " " + std::to_string(*year + n + *limit);
  });
  app.get("/name/{name}", [](Name name) -> tern::Task<std::string> { co_return std::string(*name); });
  app.get("/free/{free}", [](Free free) { return *free; });
  Client client(app);
  EXPECT_EQ(client.get("/a/2000/1?limit=5").body, "a 2006");
  EXPECT_EQ(client.get("/a/2000/x").status, 404);
  const auto refused = client.get("/a/1/1?limit=0");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr(R"("in":"path")"));
  EXPECT_THAT(refused.body, HasSubstr(R"("in":"query")"));
  EXPECT_EQ(client.get("/name/abc").body, "abc");
  EXPECT_EQ(client.get("/name/abcd").status, 422);
  EXPECT_EQ(client.get("/free/-7").body, "-7");
}

TEST(Placeholder, with_a_malformed_pattern_fails_the_start) {
  tern::App app;
  app.get("/{broken}", [](Broken broken) { return *broken; });
  try {
    static_cast<void>(app.service());
    FAIL() << "the start must fail";
  } catch (const tern::SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("GET '/{broken}'"));
  }
}

TEST(Placeholder, has_its_rules_in_the_document) {
  tern::App app;
  app.get("/{year}", [](Year year) { return *year; });
  const std::string document = app.openapi_document({});
  EXPECT_THAT(document, HasSubstr(R"("description": "Of the first edition")"));
  EXPECT_THAT(document, HasSubstr(R"("minimum": 1450)"));
  EXPECT_THAT(document, HasSubstr(R"("422")"));
}

}  // namespace
