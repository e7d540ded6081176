// URLs from the names of routes.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;

template <class... A>
std::string failure(const App& app, std::string_view name, const A&... values) {
  try {
    return "no failure: " + app.url(name, values...);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

class Urls : public ::testing::Test {
protected:
  Urls() {
    app.get("/books/{id}", [](std::string id) { return id; }).name("book");
    app.get("/books/{id}/pages/{page:[0-9]+}", [](std::string id, int page) { return id + " " + std::to_string(page); })
        .name("page");
    app.get("/files/{path...}", [](std::string path) { return path; }).name("file");
    app.group("/api").name("api").get("/caf\xC3\xA9", [] { return "caf\xC3\xA9"; }).name("list");
    app.get("/{path...}", [](std::string path) { return "any " + path; }).name("any");
    app.get("/", [] { return "home"; }).name("home");
  }
  App app;
};

TEST_F(Urls, have_each_value_percent_encoded) {
  EXPECT_EQ(app.url("home"), "/");
  EXPECT_EQ(app.url("book", 7), "/books/7");
  EXPECT_EQ(app.url("book", std::numeric_limits<std::int64_t>::min()), "/books/-9223372036854775808");
  EXPECT_EQ(app.url("book", true), "/books/true");
  EXPECT_EQ(app.url("book", 0.5), "/books/0.5");
  EXPECT_EQ(app.url("book", "a/b?c#d e%2F"), "/books/a%2Fb%3Fc%23d%20e%252F");
  EXPECT_EQ(app.url("page", std::string("x"), 3), "/books/x/pages/3");
  EXPECT_EQ(app.url("api.list"), "/api/caf%C3%A9");
  EXPECT_EQ(app.url("file", "a b/c//d/"), "/files/a%20b/c//d/");
  EXPECT_EQ(app.url("file", ""), "/files/");
}

TEST_F(Urls, lead_to_their_route_with_the_same_values) {
  Client client(app);
  for (const char* value : {"7", "a/b", "a/", "/", "...", "\xC3\xA9", "%2F", "a+b", "x?y", "\n"}) {
    EXPECT_EQ(client.get(app.url("book", value)).body, value);
    EXPECT_EQ(client.get(app.url("file", value)).body, value);
  }
  EXPECT_EQ(client.get(app.url("page", "x", 3)).body, "x 3");
  EXPECT_EQ(client.get(app.url("api.list")).body, "caf\xC3\xA9");
  EXPECT_EQ(client.get(app.url("any", "deep/path")).body, "any deep/path");
}

TEST_F(Urls, may_have_a_query) {
  EXPECT_EQ(app.url("home", UrlQuery{{"page", 2}, {"q", "a&b=c"}, {"all", true}}), "/?page=2&q=a%26b%3Dc&all=true");
  EXPECT_EQ(app.url("book", 7, UrlQuery{}), "/books/7");
  EXPECT_THAT(failure(app, "page", UrlQuery{}, 7), HasSubstr("is the last argument"));
}

TEST_F(Urls, of_unknown_names_and_with_other_numbers_of_values_are_errors_that_name_the_route) {
  for (int i = 0; i < 2; ++i) {  // before the start and after it
    EXPECT_EQ(failure(app, "nothing"), "url('nothing'): no route has this name");
    EXPECT_EQ(failure(app, ""), "url(''): no route has this name");
    EXPECT_EQ(failure(app, "book"), "url('book'): '/books/{id}' has 1 placeholder, but 0 values were given");
    EXPECT_EQ(failure(app, "home", 1), "url('home'): '/' has 0 placeholders, but 1 value was given");
    EXPECT_THAT(failure(app, "page", 1), HasSubstr("has 2 placeholders, but 1 value was given"));
    EXPECT_EQ(app.url("api.list"), "/api/caf%C3%A9");
    app.service();
  }
}

TEST_F(Urls, with_values_that_would_lead_elsewhere_are_errors) {
  EXPECT_EQ(failure(app, "book", ""), "url('book'): the value of 'id' is empty");
  for (const char* value : {".", "..", "../x", "a/../b", "x/."}) {
    EXPECT_THAT(failure(app, "book", value), HasSubstr("has a dot segment")) << value;
    EXPECT_THAT(failure(app, "file", value), HasSubstr("has a dot segment")) << value;
  }
  EXPECT_THAT(failure(app, "book", "\xFF"), HasSubstr("is not UTF-8"));
  EXPECT_THAT(failure(app, "any", "/example.org"), HasSubstr("would begin with two slashes"));
}

TEST_F(Urls, are_made_by_requests_also_in_mounted_apps) {
  App inner;
  inner.get("/items/{id}", [](int id) { return id; }).name("item");
  inner.get("/link", [](Request& request) { return request.url("shop.item", 7, UrlQuery{{"a", 1}}); });
  app.mount("/shop", std::move(inner)).name("shop");
  app.post("/books", [](Request& request, Body title) {
    return created(std::string(title), request.url("book", std::string_view(title)));
  });
  app.get("/wrong", [](Request& request) { return request.url("book"); });
  Client client(app);
  EXPECT_EQ(client.post("/books", "x y").field("location"), "/books/x%20y");
  EXPECT_EQ(client.get("/shop/link").body, "/shop/items/7?a=1");
  EXPECT_EQ(client.print_reports(false).get("/wrong").status, 500);
  ASSERT_EQ(client.reports().size(), 1U);
  EXPECT_THAT(client.reports()[0], HasSubstr("url('book'): '/books/{id}' has 1 placeholder"));
}

std::string setup_error(App& app) {
  try {
    static_cast<void>(app.service());
    return "none";
  } catch (const SetupError& error) {
    return error.what();
  }
}

TEST_F(Urls, are_made_by_links_too) {
  const auto book = app.link<std::int64_t>("book");
  const auto page = app.link<std::string_view, int>("page");
  const auto later = app.link<>("later");
  app.get("/later", [later] { return later(); }).name("later");
  ASSERT_EQ(setup_error(app), "none");
  EXPECT_EQ(book(7), "/books/7");
  EXPECT_EQ(page("a/b", 3), "/books/a%2Fb/pages/3");
  EXPECT_EQ(Client(app).get("/later").body, "/later");
}

TEST_F(Urls, of_links_without_a_route_fail_the_start) {
  static_cast<void>(app.link<int>("bok"));
  EXPECT_THAT(setup_error(app), HasSubstr("link('bok'): no route has this name"));
  EXPECT_THAT(setup_error(app), HasSubstr("url_test.cpp:"));
}

TEST_F(Urls, of_links_with_another_number_of_values_fail_the_start) {
  static_cast<void>(app.link<int>("page"));
  EXPECT_THAT(setup_error(app), HasSubstr("2 placeholders, but the link takes 1 values"));
}

TEST(UrlsOfMountedApps, are_made_by_links_with_the_names_of_the_outer_app) {
  App inner;
  const auto one = inner.link<int>("inner.one");
  inner.get("/one/{n}", [one](int n) { return one(n + 1); }).name("one");
  App app;
  app.mount("/inner", std::move(inner)).name("inner");
  EXPECT_EQ(Client(app).get("/inner/one/1").body, "/inner/one/2");
}

}  // namespace
}  // namespace tern
