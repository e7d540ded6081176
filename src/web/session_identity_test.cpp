// SessionIdentity: the user of a session as the identity of a request.
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

namespace tern::web {
namespace {

using ::testing::HasSubstr;

struct Curator {
  std::string name;
  std::vector<std::string> roles;
};

class SessionIdentityTest : public ::testing::Test {
protected:
  SessionIdentityTest() {
    app.use(Sessions<Curator>()).use(SessionIdentity<Curator>());
    app.post("/login/{name}", [](Session<Curator> session, std::string name) {
      std::vector<std::string> roles;
      if (name == "ada") roles.emplace_back("admin");
      session.login(name, Curator{name, std::move(roles)});
      return Status::NoContent;
    });
    app.post("/note/{name}", [](Session<Curator> session, std::string name) {
      session.set({std::move(name), {"admin"}});
      return Status::NoContent;
    });
    app.post("/logout", [](Session<Curator> session) {
      session.destroy();
      return Status::NoContent;
    });
    app.get("/me", [](Identity<Curator> curator) { return curator->name + " by " + std::string(curator.scheme()); });
    app.get("/maybe",
            [](std::optional<Identity<Curator>> curator) { return curator ? (*curator)->name : "anonymous"; });
    app.get("/admin", [] { return "secret"; }).use(require_role("admin"));
  }

  App app;
};

TEST_F(SessionIdentityTest, is_known_from_the_login_to_the_logout) {
  testing::Client client(app);
  client.keep_cookies();
  EXPECT_EQ(client.get("/me").status, 403);
  EXPECT_EQ(client.get("/maybe").body, "anonymous");
  client.post("/login/ben", "");
  EXPECT_EQ(client.get("/me").body, "ben by session");
  EXPECT_EQ(client.get("/admin").status, 403);
  client.post("/login/ada", "");
  EXPECT_EQ(client.get("/admin").body, "secret");
  client.post("/logout", "");
  EXPECT_EQ(client.get("/maybe").body, "anonymous");
}

TEST_F(SessionIdentityTest, data_of_a_session_without_login_proves_nothing) {
  testing::Client client(app);
  client.keep_cookies();
  EXPECT_EQ(client.post("/note/ada", "").status, 204);
  EXPECT_EQ(client.get("/maybe").body, "anonymous");
  EXPECT_EQ(client.get("/admin").status, 403);
}

TEST(SessionIdentitySetup, needs_the_sessions) {
  App app;
  app.use(SessionIdentity<Curator>());
  try {
    static_cast<void>(app.service());
    FAIL() << "it started";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("middleware needs the middleware tern::Sessions<"));
  }
}

}  // namespace
}  // namespace tern::web
