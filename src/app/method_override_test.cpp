#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::app {
namespace {

using testing::Client;
using testing::TestRequest;

class MethodOverrideTest : public ::testing::Test {
protected:
  Client& serve(MethodOverride from = {}) {
    app.method_override(std::move(from));
    app.use([](Request& request, Next next) {
      return next().then([&request](Response response) {
        response.set("X-Method", request.method_name());
        return response;
      });
    });
    app.get("/book", [] { return "read"; });
    app.post("/book", [] { return "posted"; });
    app.put("/book", [](Body body) { return "put " + std::string(body.bytes); });
    app.patch("/book", [] { return "patched"; });
    app.del("/book", [] { return "deleted"; });
    return client.emplace(app);
  }
  testing::TestResponse send(const std::string& method, std::string target = "/book", RouteMethod sent = Method::Post) {
    std::vector<std::pair<std::string, std::string>> fields;
    if (!method.empty()) fields.emplace_back("X-HTTP-Method-Override", method);
    return client->send({.method = sent, .target = std::move(target), .fields = std::move(fields), .body = "content"});
  }

  App app;
  std::optional<Client> client;
};

TEST_F(MethodOverrideTest, a_post_becomes_the_method_that_it_names) {
  serve();
  EXPECT_EQ(send("PUT").body, "put content");
  EXPECT_EQ(send("PATCH").body, "patched");
  EXPECT_EQ(send("DELETE").body, "deleted");
  EXPECT_EQ(send("delete").field("x-method"), "DELETE");
  EXPECT_EQ(send("POST").body, "posted");
  EXPECT_EQ(send("").body, "posted");
}

TEST_F(MethodOverrideTest, other_methods_are_not_changed) {
  serve({.query = "_method"});
  EXPECT_EQ(send("DELETE", "/book", Method::Get).body, "read");
  EXPECT_EQ(send("", "/book?_method=DELETE", Method::Get).body, "read");
  EXPECT_EQ(send("DELETE", "/book", Method::Put).body, "put content");
}

TEST_F(MethodOverrideTest, no_other_method_can_be_named) {
  serve({.query = "_method"});
  for (const char* method :
       {"GET", "HEAD", "CONNECT", "OPTIONS", "TRACE", "QUERY", "PURGE", "DELETE, PUT", "DELETE x"}) {
    EXPECT_EQ(send(method).status, 400) << method;
  }
  EXPECT_EQ(send("", "/book?_method=").status, 400);
  EXPECT_EQ(send("", "/book?_method=GET").status, 400);
}

TEST_F(MethodOverrideTest, the_query_names_it_only_by_choice) {
  serve();
  EXPECT_EQ(send("", "/book?_method=DELETE").body, "posted");
}

TEST_F(MethodOverrideTest, the_field_precedes_the_query) {
  serve({.query = "_method"});
  EXPECT_EQ(send("", "/book?a=b&_method=DELETE&_method=PUT").body, "deleted");
  EXPECT_EQ(send("PATCH", "/book?_method=DELETE").body, "patched");
}

TEST_F(MethodOverrideTest, a_path_without_the_method_is_a_405) {
  app.post("/only-post", [] { return "posted"; });
  serve();
  EXPECT_EQ(send("DELETE", "/only-post").status, 405);
}

TEST(MethodOverride, is_off_by_default) {
  App app;
  app.post("/", [] { return "posted"; });
  app.del("/", [] { return "deleted"; });
  Client client(app);
  EXPECT_EQ(client.send({.method = Method::Post, .fields = {{"X-HTTP-Method-Override", "DELETE"}}}).body, "posted");
}

TEST(MethodOverride, a_field_that_no_request_has_is_a_setup_error) {
  App app;
  EXPECT_THROW(app.method_override({.field = "a b"}), SetupError);
}

}  // namespace
}  // namespace tern::app
