#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <string>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;

void add_pages(App& app, const Maintenance& maintenance) {
  app.use(maintenance);
  app.get("/", [] { return "hello"; });
  app.get("/health", [] { return "up"; });
  app.put("/admin/maintenance", [maintenance] { maintenance.begin(); });
  app.del("/admin/maintenance", [maintenance] { maintenance.end(); });
}

TEST(Maintenance, is_switched_while_the_app_runs) {
  App app;
  add_pages(app, Maintenance({.retry_after = Seconds(120), .allowed_paths = {"/health", "/admin/*"}}));
  Client client(app);
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_EQ(client.put("/admin/maintenance", "").status, 204);
  const auto refused = client.get("/");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("retry-after"), "120");
  EXPECT_EQ(refused.field("cache-control"), "no-store");
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
  EXPECT_THAT(refused.body, HasSubstr("being maintained"));
  EXPECT_EQ(client.get("/missing").status, 503);
  EXPECT_EQ(client.get("/health").body, "up");
  EXPECT_EQ(client.del("/admin/maintenance").status, 204);
  EXPECT_EQ(client.get("/").status, 200);
}

TEST(Maintenance, some_addresses_are_served_nevertheless) {
  App app;
  add_pages(app, Maintenance({.active = true, .allowed_addresses = {"10.0.0.0/8"}}));
  Client client(app);
  EXPECT_EQ(client.send({.remote = "10.1.2.3"}).status, 200);
  EXPECT_EQ(client.send({.remote = "::ffff:10.1.2.3"}).status, 200);
  EXPECT_EQ(client.send({.remote = "192.0.2.1"}).status, 503);
}

TEST(Maintenance, another_spelling_of_an_allowed_path_does_not_open_the_others) {
  App app;
  add_pages(app, Maintenance({.active = true, .allowed_paths = {"/health", "/admin/*"}}));
  Client client(app);
  for (const char* path : {"/?/health", "/admin/../", "/admin/%2e%2e/", "//health", "/x/../health", "/health/../"}) {
    EXPECT_NE(client.get(path).status / 100, 2) << path;
  }
}

TEST(Maintenance, copies_are_one_switch) {
  Maintenance first;
  Maintenance other({.active = true});
  EXPECT_TRUE(other.is_active());
  other = first;
  EXPECT_FALSE(other.is_active());
  other.begin();
  EXPECT_TRUE(first.is_active());
}

TEST(Maintenance, refuses_options_that_cannot_hold) {
  EXPECT_THROW(Maintenance({.retry_after = Seconds(0)}), SetupError);
  EXPECT_THROW(Maintenance({.allowed_addresses = {"example.org"}}), SetupError);
  EXPECT_THROW(Maintenance({.allowed_paths = {"health"}}), SetupError);
}

}  // namespace
}  // namespace tern::web
