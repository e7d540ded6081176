#include "app.hpp"

#include <gtest/gtest.h>
#include <tern/testing.hpp>

namespace {

tern::App& with_routes(tern::App& app) {
  add_routes(app);
  return app;
}

class Notes : public ::testing::Test {
protected:
  Notes() { client.check_contract(); }  // every response has to be one that the OpenAPI document allows

  tern::App app;
  tern::testing::Client client{with_routes(app)};
};

TEST_F(Notes, are_added_found_listed_and_deleted) {
  const auto added = client.post("/notes", R"({"title":"Milk","text":"Two litres"})");
  EXPECT_EQ(added.status, 201);
  EXPECT_EQ(added.field("location"), "/notes/1");
  EXPECT_EQ(client.get("/notes/1").body, R"({"id":1,"title":"Milk","text":"Two litres"})");
  EXPECT_EQ(client.get("/notes").body, R"([{"id":1,"title":"Milk","text":"Two litres"}])");
  EXPECT_EQ(client.del("/notes/1").status, 204);
  EXPECT_EQ(client.get("/notes/1").status, 404);
}

TEST_F(Notes, have_a_title) {
  EXPECT_EQ(client.post("/notes", R"({"title":"","text":""})").status, 422);
}

}  // namespace
