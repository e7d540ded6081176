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
using ::testing::Not;

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

// The part of the document about an operation, without blanks.
std::string operation_in(const std::string& document, std::string_view id) {
  std::string text = document;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  const std::size_t begin = text.find("\"operationId\":\"" + std::string(id) + '"');
  EXPECT_NE(begin, text.npos) << id;
  return text.substr(begin, text.find("\"operationId\"", begin + 1) - begin);
}

TEST(SessionDocument, has_the_cookie_as_a_scheme_and_the_refusals) {
  struct Person {
    std::string name = {};
  };
  App app;
  app.openapi({});
  app.use(Sessions<Person>()).use(SessionIdentity<Person>());
  app.get("/open", [] { return "open"; });
  app.post("/change", [] { return "changed"; });
  app.get("/who", [](Identity<Person> person) { return person->name; });
  app.post("/name", [](Session<Person> session) { session.set({.name = "anna"}); });
  testing::Client client(app);
  client.check_contract();
  const std::string document = app.openapi_document();
  std::string text = document;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_THAT(text, HasSubstr(R"("session":{"type":"apiKey","in":"cookie","name":"__Host-session"})"));
  EXPECT_THAT(operation_in(document, "get_open"), HasSubstr(R"("security":[{"session":[]},{}])"));
  EXPECT_THAT(operation_in(document, "get_open"), HasSubstr("\"503\""));
  EXPECT_THAT(operation_in(document, "get_who"), HasSubstr(R"("security":[{"session":[]}])"));
  EXPECT_THAT(operation_in(document, "get_who"), HasSubstr("\"403\""));
  EXPECT_THAT(operation_in(document, "post_change"), HasSubstr("\"403\""));
  EXPECT_THAT(operation_in(document, "post_change"), Not(HasSubstr("\"409\"")));
  EXPECT_THAT(operation_in(document, "post_name"), HasSubstr("\"409\""));
  EXPECT_EQ(client.send({Method::Post, "/name", {{"Origin", "https://evil.example"}}, {}}).status, 403);
  EXPECT_EQ(client.get("/who").status, 403);
}

TEST(SessionDocument, has_the_refusals_of_sessions_only_where_they_can_happen) {
  struct Person {
    std::string name = {};
  };
  App app;
  app.openapi({});
  app.use(Sessions<Person>());
  app.get("/open", [] { return "open"; });
  app.post("/change", [] { return "changed"; });
  app.get("/name", [](Session<Person> session) { return session->name; });
  const testing::Client client(app);
  const std::string document = app.openapi_document();
  for (const char* status : {"\"403\"", "\"409\"", "\"503\""}) {
    EXPECT_THAT(operation_in(document, "get_open"), Not(HasSubstr(status)));
  }
  EXPECT_THAT(operation_in(document, "post_change"), HasSubstr("\"403\""));
  EXPECT_THAT(operation_in(document, "post_change"), Not(HasSubstr("\"409\"")));
  EXPECT_THAT(operation_in(document, "get_name"), HasSubstr("\"409\""));
  EXPECT_THAT(operation_in(document, "get_name"), HasSubstr("\"503\""));
  EXPECT_THAT(operation_in(document, "get_name"), Not(HasSubstr("\"403\"")));
}

TEST(SessionDocument, says_that_a_session_is_one_of_several_ways) {
  struct Person {
    std::string name = {};
  };
  App app;
  app.openapi({});
  app.use(Sessions<Person>()).use(SessionIdentity<Person>());
  app.use(Authentication<Person>().bearer([](std::string_view) { return std::optional<Person>(); }));
  app.get("/closed", [] { return "closed"; });
  const testing::Client client(app);
  EXPECT_THAT(operation_in(app.openapi_document(), "get_closed"),
              HasSubstr(R"("security":[{"session":[]},{"bearer":[]}])"));
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
