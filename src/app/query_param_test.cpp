// QueryParam: single parameters of the query string, with defaults, optional and repeated.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;

enum class Sorting { title, year };

TEST(QueryParam, is_required_unless_it_has_a_default_or_is_optional) {
  App app;
  app.get("/required", [](QueryParam<"page", int> page) { return *page; });
  app.get("/default", [](QueryParam<"page", int, 7> page) { return *page; });
  app.get("/optional", [](QueryParam<"page", std::optional<int>> page) { return page->value_or(-1); });
  app.get("/outside", [](std::optional<QueryParam<"page", int>> page) { return page ? **page : -2; });
  Client client(app);
  for (const char* path : {"/required", "/default", "/optional", "/outside"}) {
    EXPECT_EQ(client.get(std::string(path) + "?x=1&page=3").body, "3") << path;
    const auto malformed = client.get(std::string(path) + "?page=x");
    EXPECT_EQ(malformed.status, 422) << path;
    EXPECT_THAT(malformed.body, HasSubstr(R"({"detail":"expected an integer in range","pointer":"page")")) << path;
    EXPECT_THAT(client.get(std::string(path) + "?page=1&page=2").body, HasSubstr("given more than once")) << path;
  }
  const auto missing = client.get("/required");
  EXPECT_EQ(missing.status, 422);
  EXPECT_THAT(missing.body, HasSubstr(R"({"detail":"missing","pointer":"page")"));
  EXPECT_EQ(client.get("/default").body, "7");
  EXPECT_EQ(client.get("/optional").body, "-1");
  EXPECT_EQ(client.get("/outside").body, "-2");
}

TEST(QueryParam, is_of_every_type_that_a_member_of_a_query_may_have) {
  App app;
  app.get("/", [](QueryParam<"text"> text, QueryParam<"sort", Sorting, Sorting::year> sorting,
                  QueryParam<"language", std::string, "en"> language, QueryParam<"scale", double, 1> scale,
                  QueryParam<"all", bool, false> all, const QueryParam<"tag", std::vector<int>>& tags) {
    return std::string(*text) + (*sorting == Sorting::year ? " year " : " title ") + *language +
           (*scale == 1.0 ? " 1 " : " other ") + (*all ? "all " : "some ") + std::to_string(tags->size());
  });
  Client client(app);
  EXPECT_EQ(client.get("/?text=a%20b").body, "a b year en 1 some 0");
  EXPECT_EQ(client.get("/?text=x&sort=title&language=de&scale=2.5&all=1&tag=1&tag=2").body, "x title de other all 2");
  EXPECT_EQ(client.get("/?text=x&sort=size").status, 422);
}

TEST(QueryParam, of_a_malformed_query_is_a_400) {
  App app;
  app.get("/", [](QueryParam<"page", int, 1> page) { return *page; });
  EXPECT_EQ(Client(app).get("/?x=%zz").status, 400);
}

}  // namespace
}  // namespace tern
