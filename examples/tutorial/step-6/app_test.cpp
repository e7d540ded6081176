#include "app.hpp"

#include <gtest/gtest.h>
#include <tern/testing.hpp>

namespace {

// A shed with a database of its own, in memory.
class Shed : public testing::Test {
protected:
  Shed() {
    add_routes(app_, services_);
    client_.emplace(app_);
    client_->start();
    client_->check_contract();
  }

  int add(const std::string& name) {
    client_->as(Member{"ada"});
    return client_->post("/tools", R"({"kind":"garden","name":")" + name + R"("})").status;
  }

  Services services_{{}};
  tern::App app_;
  std::optional<tern::testing::Client> client_;
};

TEST_F(Shed, keeps_tools) {
  EXPECT_EQ(add("Spade"), 201);
  EXPECT_EQ(client_->get("/tools/1").body, R"({"id":1,"name":"Spade","kind":"garden","note":null})");
  EXPECT_EQ(client_->get("/tools?kind=metal").body, "[]");
  EXPECT_EQ(client_->get("/tools/2").status, 404);
}

TEST_F(Shed, refuses_a_tool_without_a_name) {
  EXPECT_EQ(add(""), 422);
  EXPECT_EQ(client_->get("/tools").body, "[]");
}

TEST_F(Shed, shows_tools_to_all_and_changes_them_for_members) {
  EXPECT_EQ(client_->get("/tools").status, 200);
  EXPECT_EQ(client_->post("/tools", R"({"name":"Spade"})").status, 403);
}

TEST_F(Shed, lends_a_tool_once) {
  add("Spade");
  EXPECT_EQ(client_->post("/tools/1/loan", "").status, 200);
  client_->as(Member{"bob"});
  EXPECT_EQ(client_->post("/tools/1/loan", "").status, 409);
  EXPECT_EQ(client_->del("/tools/1/loan").status, 404);  // only the borrower gives it back
  client_->as(Member{"ada"});
  EXPECT_EQ(client_->del("/tools/1/loan").status, 204);
  client_->as(Member{"bob"});
  EXPECT_EQ(client_->post("/tools/1/loan", "").status, 200);
}

TEST_F(Shed, lets_members_log_in) {
  client_->keep_cookies();
  const std::string ada = R"({"name":"ada","password":"correct horse battery"})";
  EXPECT_EQ(client_->post("/login", ada).status, 403);
  EXPECT_EQ(client_->post("/members", ada).status, 201);
  EXPECT_EQ(client_->post("/login", ada).status, 200);
  EXPECT_EQ(client_->get("/me").body, R"({"name":"ada"})");
  EXPECT_EQ(client_->post("/logout", "").status, 204);
  EXPECT_EQ(client_->get("/me").status, 403);
}

}  // namespace
