#include "app.hpp"
#include "test_database.hpp"

#include <gtest/gtest.h>
#include <tern/testing.hpp>

namespace {

tern::App& with_routes(tern::App& app, const Database& database) {
  add_routes(app, database);
  return app;
}

class Notes : public ::testing::Test {
protected:
  Notes() {
    client.start();           // runs the migrations
    client.check_contract();  // every response has to be one that the OpenAPI document allows
  }

  TestDatabase test;
  tern::App app;
  tern::testing::Client client{with_routes(app, test.database)};
};

TEST_F(Notes, are_added_found_listed_and_deleted) {
  const auto added = client.post("/notes", R"({"title":"Milk","text":"Two litres"})");
  EXPECT_EQ(added.status, 201);
  EXPECT_EQ(added.field("location"), "/notes/1");
  EXPECT_EQ(client.get("/notes/1").body, R"({"id":1,"title":"Milk","text":"Two litres"})");
  EXPECT_EQ(client.get("/notes").body, R"([{"id":1,"title":"Milk","text":"Two litres"}])");
  EXPECT_EQ(client.get("/notes?offset=1").body, "[]");
  EXPECT_EQ(client.del("/notes/1").status, 204);
  EXPECT_EQ(client.get("/notes/1").status, 404);
  EXPECT_EQ(client.del("/notes/1").status, 404);
}

TEST_F(Notes, have_a_title) {
  EXPECT_EQ(client.post("/notes", R"({"title":"","text":""})").status, 422);
}

TEST_F(Notes, keep_what_looks_like_sql) {
  EXPECT_EQ(client.post("/notes", R"({"title":"'); drop table note; --","text":""})").status, 201);
  EXPECT_EQ(client.get("/notes/1").body, R"({"id":1,"title":"'); drop table note; --","text":""})");
}

}  // namespace
