#include "app.hpp"

#include <gtest/gtest.h>
#include <tern/testing.hpp>

TEST(App, says_hello) {
  tern::App app;
  add_routes(app);
  tern::testing::Client client(app);
  const auto response = client.get("/");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "Hello from @NAME@\n");
}
