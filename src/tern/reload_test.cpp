// Pages that reload themselves, in process; tests/command/dev_test.js does it in a browser.
#include "tern/reload.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tern {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* element = "</p><script src=\"/.tern/reload.js\"></script>\n";

class Reload : public ::testing::Test {
protected:
  Reload() {
    app.get("/", [] { return Response::html("<p>page</p>"); });
    app.get("/parts", [] {
      return Response::stream(media::html, [](Writer& writer) -> Task<> { co_await writer.write("<p>parts</p>"); });
    });
    app.get("/json", [] { return Response::json("{}"); });
    app.get("/coded", [] { return Response::html("<p>coded</p>").set("content-encoding", "gzip"); });
    app.get("/part", [] { return Response::html("<p>part</p>").status(Status::PartialContent); });
    app.get("/typed", [] { return Response::bytes("TEXT/HTML; charset=utf-8", "<p>typed</p>"); });
    app.get("/empty", [] { return Response(Status::NoContent); });
    app.get("/fails", []() -> Response { throw std::runtime_error("no"); });
  }

  App app;
};

TEST_F(Reload, is_a_script_at_the_end_of_pages) {
  add_reload(app);
  testing::Client client(app);
  for (const char* path : {"/", "/parts", "/typed"}) {
    const testing::TestResponse page = client.get(path);
    EXPECT_THAT(page.body, EndsWith(element)) << path;
    EXPECT_EQ(page.status, 200);
  }
  EXPECT_EQ(client.get("/").field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(client.head("/").field("content-length"), client.get("/").field("content-length"));
}

TEST_F(Reload, leaves_everything_else_as_it_is) {
  add_reload(app);
  testing::Client client(app);
  EXPECT_EQ(client.get("/json").body, "{}");
  EXPECT_EQ(client.get("/coded").body, "<p>coded</p>");
  EXPECT_EQ(client.get("/part").body, "<p>part</p>");
  EXPECT_EQ(client.get("/empty").body, "");
  EXPECT_EQ(client.get("/fails").status, 500);
  EXPECT_EQ(client.get("/none").status, 404);
}

TEST_F(Reload, has_a_script_that_nothing_refuses) {
  app.use([](Request&, Next) { return Response(Status::Unauthorized); });
  add_reload(app);
  testing::Client client(app);
  const testing::TestResponse script = client.get("/.tern/reload.js");
  EXPECT_EQ(script.status, 200);
  EXPECT_EQ(script.field("content-type"), "text/javascript");
  EXPECT_THAT(script.body, HasSubstr("new EventSource(\"/.tern/reload\")"));
  EXPECT_EQ(client.get("/").status, 401);
}

TEST_F(Reload, is_asked_for_by_the_environment_once) {
  ::setenv("TERN_RELOAD", "1", 1);
  EXPECT_TRUE(take_reload());
  EXPECT_FALSE(take_reload());
  testing::Client client(app);
  EXPECT_EQ(client.get("/").body, "<p>page</p>");
  EXPECT_EQ(client.get("/.tern/reload.js").status, 404);
}

}  // namespace
}  // namespace tern
