// Resources: a class whose member functions are the methods of one path, made anew for each request.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::ElementsAre;

int alive = 0;
int made = 0;

class Counted {
public:
  Counted() {
    ++alive;
    ++made;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }

  int get(int id) { return calls_ += id; }
  std::string post(Body body) const { return std::string(body.bytes); }
  Task<std::string> put(const std::string& text) {
    kept_ = text + "!";
    co_await pause();
    co_return kept_ + std::to_string(alive);
  }
  Status del() noexcept { return Status::NoContent; }

private:
  static Task<> pause() { co_return; }
  int calls_ = 0;
  std::string kept_;
};

struct Held {
  const std::string& get() {
    text = "a text that no small string holds by itself";
    return text;
  }
  std::string_view post() {
    text = "a text that no small string holds by itself";
    return text;
  }
  Task<std::string_view> put() {
    text = "a text that no small string holds by itself";
    co_return text;
  }
  Reply patch() { return late(); }
  Task<Response> late() {
    text = "a text that no small string holds by itself";
    co_return Response::text(text);
  }
  Task<> del() {
    text = "kept";
    co_return;
  }
  std::string text;
};

struct Base {
  std::string get() { return "inherited"; }
};
struct Derived : Base {
  std::string put() { throw HttpError(Status::Conflict); }
};

std::vector<std::string> routes_of(const App& app) {
  std::vector<std::string> list;
  for (const RouteInfo& route : app.routes())
    list.push_back(std::string(method_name(route.method)) + " " + route.pattern);
  return list;
}

TEST(Resource, has_a_route_for_each_of_its_methods) {
  App app;
  app.resource<Counted>("/items/{id}");
  EXPECT_THAT(routes_of(app),
              ElementsAre("GET /items/{id}", "POST /items/{id}", "PUT /items/{id}", "DELETE /items/{id}"));
}

TEST(Resource, is_made_for_each_request_and_gone_afterwards) {
  alive = made = 0;
  App app;
  app.resource<Counted>("/items/{id}");
  Client client(app);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(client.get("/items/2").body, "2");
  EXPECT_EQ(client.get("/items/2").body, "2") << "not the one of the request before";
  EXPECT_EQ(client.post("/items/x", "text").body, "text");
  EXPECT_EQ(client.del("/items/x").status, 204);
  EXPECT_EQ(made, 4);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(client.get("/items/x").status, 404);
  EXPECT_EQ(made, 4) << "no object expected";
}

TEST(Resource, lives_as_long_as_its_coroutine) {
  alive = 0;
  App app;
  app.resource<Counted>("/items/{id}");
  EXPECT_EQ(Client(app).put("/items/some-text-that-no-small-string-holds", "").body,
            "some-text-that-no-small-string-holds!1");
  EXPECT_EQ(alive, 0);
}

TEST(Resource, may_answer_with_what_it_holds) {
  App app;
  app.resource<Held>("/held");
  Client client(app);
  constexpr std::string_view text = "a text that no small string holds by itself";
  EXPECT_EQ(client.get("/held").body, text);
  EXPECT_EQ(client.post("/held", "").body, text);
  EXPECT_EQ(client.put("/held", "").body, text);
  EXPECT_EQ(client.patch("/held", "").body, text);
  EXPECT_EQ(client.del("/held").status, 204);
}

TEST(Resource, may_inherit_its_members_and_throw) {
  App app;
  app.resource<Derived>("/derived");
  Client client(app);
  EXPECT_EQ(client.get("/derived").body, "inherited");
  EXPECT_EQ(client.put("/derived", "").status, 409);
  EXPECT_EQ(client.post("/derived", "").status, 405);
}

TEST(Resource, may_be_registered_by_a_map_and_in_groups) {
  App app;
  app.resources({{"/held", resource<Held>}, {"/derived", resource<Derived>}});
  Group api = app.group("/api");
  api.resource<Derived>("/derived");
  api.resources({{"/held", resource<Held>}});
  Client client(app);
  EXPECT_EQ(client.get("/derived").body, "inherited");
  EXPECT_EQ(client.get("/api/derived").body, "inherited");
  EXPECT_EQ(client.get("/api/held").status, 200);
}

TEST(Resource, is_checked_against_its_pattern) {
  App app;
  app.resource<Counted>("/items/{id}/{other}");
  EXPECT_THROW(app.service(), SetupError);
}

TEST(Chain, registers_the_methods_of_one_path) {
  App app;
  app.route("/items/{id}")
      .get([](int id) { return id; })
      .put([](int id, Body body) { return std::to_string(id) + std::string(body.bytes); })
      .patch([] { return "patch"; })
      .del([](std::string_view id) { return id; })
      .post([](const Request& request) { return request.parameter("id").value_or(""); })
      .options([] { return "options"; })
      .head([] { return "head"; });
  Client client(app);
  EXPECT_EQ(client.get("/items/7").body, "7");
  EXPECT_EQ(client.put("/items/7", "x").body, "7x");
  EXPECT_EQ(client.patch("/items/7", "").body, "patch");
  EXPECT_EQ(client.del("/items/x").body, "x");
  EXPECT_EQ(client.post("/items/x", "").body, "x");
  EXPECT_EQ(client.options("/items/x").body, "options");
  EXPECT_EQ(client.head("/items/x").status, 200);
  EXPECT_EQ(client.send({Method::Search, "/items/x"}).field("allow"), "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH");
}

TEST(Chain, is_checked_over_the_joined_pattern) {
  App app;
  Group group = app.group("/{tenant}");
  group.route("/items/{id}").get([](std::string, int) { return "x"; });
  group.route("/items/{id}").put([](int) { return "x"; });
  EXPECT_THROW(app.service(), SetupError);
}

}  // namespace
}  // namespace tern
