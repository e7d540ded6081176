// Chained routes, resources and groups: their names, limits and middleware.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::ElementsAre;

auto marking(const char* mark) {
  return [mark](Request&, Next next) {
    return next().then([mark](Response response) { return std::move(response.add("x-mark", mark)); });
  };
}

struct Shelf {
  std::string get() { return "books"; }
  std::size_t put(Body body) { return body.bytes.size(); }
};

std::vector<std::string> names_of(const App& app) {
  std::vector<std::string> names;
  for (const RouteInfo& route : app.routes()) names.push_back(route.name);
  return names;
}

TEST(MethodChain, has_a_name_limits_and_middleware_for_all_its_methods) {
  App app;
  app.route("/items/{id}")
      .get([](int id) { return id; })
      .name("item")
      .limits({.max_body_bytes = 3})
      .use(marking("chain"))
      .put([](int, Body body) { return body.bytes.size(); });
  app.get("/other", [] { return "x"; });
  EXPECT_THAT(names_of(app), ElementsAre("item", "item", ""));
  Client client(app);
  EXPECT_EQ(client.get("/items/7").field("x-mark"), "chain");
  EXPECT_EQ(client.put("/items/7", "abc", "text/plain").body, "3");
  EXPECT_EQ(client.put("/items/7", "abcd", "text/plain").status, 413);
  EXPECT_FALSE(client.get("/other").has("x-mark"));
  EXPECT_EQ(client.del("/items/7").field("allow"), "GET, HEAD, PUT, OPTIONS");
  EXPECT_FALSE(client.del("/items/7").has("x-mark")) << "a 405 is its group's";
}

TEST(MethodChain, of_a_resource_has_them_too) {
  App app;
  app.resource<Shelf>("/shelf").name("shelf").limits({.max_body_bytes = 1}).use(marking("shelf"));
  EXPECT_THAT(names_of(app), ElementsAre("shelf", "shelf"));
  Client client(app);
  EXPECT_EQ(client.get("/shelf").field("x-mark"), "shelf");
  EXPECT_EQ(client.put("/shelf", "ab", "text/plain").status, 413);
}

TEST(Group, gives_its_limits_to_the_routes_in_it_that_have_none) {
  App app;
  const auto length = [](Body body) { return body.bytes.size(); };
  Group group = app.group("/g").limits({.max_body_bytes = 2});
  group.post("/limited", length);
  group.post("/own", length).limits({.max_body_bytes = 4});
  group.group("/inner").post("/limited", length);
  app.post("/free", length);
  Client client(app);
  EXPECT_EQ(client.post("/g/limited", "abc").status, 413);
  EXPECT_EQ(client.post("/g/inner/limited", "abc").status, 413);
  EXPECT_EQ(client.post("/g/own", "abc").status, 200);
  EXPECT_EQ(client.post("/free", "abc").status, 200);
}

TEST(Group, puts_its_name_in_front_of_the_names_of_its_routes) {
  App app;
  Group books = app.group("/books").name("books");
  books.get("", [] { return "x"; }).name("list");
  books.get("/plain", [] { return "x"; });
  books.group("/{id}").name("one").route("/notes").get([] { return "x"; }).name("notes");
  app.group("/users").name("users").get("", [] { return "x"; }).name("list");
  EXPECT_THAT(names_of(app), ElementsAre("books.list", "", "books.one.notes", "users.list"));
  EXPECT_EQ(Client(app).get("/books").body, "x");
}

}  // namespace
}  // namespace tern
