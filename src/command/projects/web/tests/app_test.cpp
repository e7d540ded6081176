#include "app.hpp"

#include <gtest/gtest.h>
#include <tern/testing.hpp>

namespace {

tern::App& with_routes(tern::App& app) {
  add_routes(app);
  return app;
}

class Pages : public ::testing::Test {
protected:
  tern::testing::TestResponse sign(std::string body) {
    return client.post("/", std::move(body), "application/x-www-form-urlencoded");
  }

  tern::App app;
  tern::testing::Client client{with_routes(app)};
};

TEST_F(Pages, show_escaped_entries) {
  EXPECT_EQ(sign("name=Ada&message=%3Cb%3E").status, 303);
  EXPECT_NE(client.get("/").body.find("&lt;b&gt;"), std::string::npos);
}

TEST_F(Pages, show_an_invalid_form_again) {
  const auto again = sign("name=Ada&message=");
  EXPECT_EQ(again.status, 422);
  EXPECT_NE(again.body.find("value=\"Ada\""), std::string::npos);
}

}  // namespace
