// Binding: what the parameters of a handler are given, in which order, and what is answered when they cannot be.
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

enum class Colour { red, green };

struct Page {
  int limit = 20;
  int offset = 0;
  std::optional<std::string> name;
  std::vector<int> ids;
  Colour colour = Colour::red;
  bool deep = false;
};

struct NewBook {
  std::string title;
  int year;
};

struct Login {
  std::string user;
  std::string password;
};

// One answer of an app with one GET route.
template <class F>
TestResponse get(Pattern<std::type_identity_t<F>> pattern, std::string_view target, F handler) {
  App app;
  app.get(pattern, std::move(handler));
  return Client(app).get(target);
}

TEST(Positional, takes_every_kind_of_scalar) {
  EXPECT_EQ(get("/{a}", "/-5", [](int a) { return a; }).body, "-5");
  EXPECT_EQ(get("/{a}", "/255", [](std::uint8_t a) { return int{a}; }).body, "255");
  EXPECT_EQ(get("/{a}", "/18446744073709551615", [](std::uint64_t a) { return a; }).body, "18446744073709551615");
  EXPECT_EQ(get("/{a}", "/2.5", [](double a) { return a * 2; }).body, "5");
  EXPECT_EQ(get("/{a}", "/0.5", [](float a) { return a == 0.5F ? "yes" : "no"; }).body, "yes");
  EXPECT_EQ(get("/{a}", "/true", [](bool a) { return a ? "yes" : "no"; }).body, "yes");
  EXPECT_EQ(get("/{a}", "/0", [](bool a) { return a ? "yes" : "no"; }).body, "no");
  EXPECT_EQ(get("/{a}", "/green", [](Colour a) { return a == Colour::green ? "yes" : "no"; }).body, "yes");
  EXPECT_EQ(get("/{a}", "/a%20b", [](std::string a) { return a; }).body, "a b");
  EXPECT_EQ(get("/{a}", "/a%2Fb", [](std::string_view a) { return a; }).body, "a/b");
}

TEST(Positional, takes_const_references) {
  EXPECT_EQ(get("/{a}/{b}/{c}", "/1/x/y",
                [](const int& a, const std::string& b, const std::string_view& c) {
                  return std::to_string(a) + b + std::string(c);
                })
                .body,
            "1xy");
}

TEST(Positional, fills_the_placeholders_in_order_whatever_stands_between) {
  EXPECT_EQ(get("/{a}/{b:[0-9]+}/{c...}", "/x/7/y/z?limit=3",
                [](std::string_view a, Query<Page> page, int b, const Request& request, std::string c) {
                  return std::string(a) + std::to_string(page->limit + b) + c + std::string(request.path());
                })
                .body,
            "x10y/z/x/7/y/z");
}

TEST(Positional, that_does_not_convert_is_404) {
  for (const char* target : {"/x", "/1.0", "/%201", "/+1", "/2147483648", "/0x1", "/1%20", "/--1"}) {
    EXPECT_EQ(get("/{a}", target, [](int) { return "found"; }).status, 404) << target;
  }
  EXPECT_EQ(get("/{a}", "/-1", [](unsigned) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/256", [](std::uint8_t) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/TRUE", [](bool) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/blue", [](Colour) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/1", [](Colour) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/nan", [](double) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/1e999", [](double) { return "found"; }).status, 404);
  EXPECT_EQ(get("/{a}", "/1e300", [](float) { return "found"; }).status, 404) << "no float holds it";
}

TEST(Positional, may_be_left_out_altogether) {
  EXPECT_EQ(
      get("/{a}/{b}", "/x/y", [](const Request& request) { return request.parameter("b").value_or("none"); }).body,
      "y");
  EXPECT_EQ(get("/{a}/{b}", "/x/y", [] { return "none"; }).body, "none");
}

TEST(PathByName, binds_by_name) {
  EXPECT_EQ(get("/{a}/{id}", "/x/41", [](Path<"id", int> id) { return *id + 1; }).body, "42");
  EXPECT_EQ(get("/{a}/{id}", "/x/y",
                [](const Path<"id">& id, Path<"a", std::string> a) { return std::string(*id) + a.value; })
                .body,
            "yx");
  EXPECT_EQ(get("/{id}", "/x", [](Path<"id", int>) { return "found"; }).status, 404);
}

TEST(Holders, convert_to_what_they_hold) {
  EXPECT_EQ(get("/{id}", "/41",
                [](Path<"id", int> id) {
                  const int number = id;
                  return number + 1;
                })
                .body,
            "42");
  EXPECT_EQ(get("/", "/?limit=3",
                [](const Query<Page>& query) {
                  const Page& page = query;
                  return page.limit;
                })
                .body,
            "3");
}

TEST(QueryStruct, fills_members_by_name_and_keeps_defaults) {
  const auto handler = [](Query<Page> page) {
    std::string text = std::to_string(page->limit) + " " + std::to_string(page->offset) + " " +
                       page->name.value_or("-") + " " + (page->colour == Colour::green ? "green" : "red") + " " +
                       (page->deep ? "deep" : "flat");
    for (const int id : page->ids) text += " " + std::to_string(id);
    return text;
  };
  EXPECT_EQ(get("/", "/", handler).body, "20 0 - red flat");
  EXPECT_EQ(get("/", "/?limit=5&other=1&name=a+b%26c&ids=1&ids=2&colour=green&deep=true", handler).body,
            "5 0 a b&c green deep 1 2");
  EXPECT_EQ(get("/", "/?%6Cimit=5&&name=", handler).body, "5 0  red flat");
}

TEST(QueryStruct, names_every_bad_member_in_one_answer) {
  const TestResponse answer =
      get("/", "/?limit=x&limit=3&ids=1&ids=y&colour=blue&offset=1&offset=2", [](Query<Page>) { return "fine"; });
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"limit")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"ids")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"colour")"));
  EXPECT_THAT(answer.body, HasSubstr("given more than once"));
}

TEST(QueryStruct, refuses_a_malformed_escape_with_400) {
  App app;
  app.get("/", [](Query<Page>) { return "fine"; });
  MemoryExchange exchange(Method::Get, "/?name=%zz");
  Reply reply = app.service().serve(exchange);
  ASSERT_TRUE(reply.ready());
  EXPECT_EQ(reply.response().status(), Status::BadRequest);
}

TEST(QueryStruct, misses_members_without_default) {
  const TestResponse answer = get("/", "/?year=1", [](Query<NewBook>) { return "fine"; });
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.body, HasSubstr("missing"));
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"title")"));
}

class JsonBody : public ::testing::Test {
protected:
  JsonBody() {
    app.post("/books", [](const Json<NewBook>& book) { return book->title + std::to_string(book->year); });
    app.post("/maybe", [](std::optional<Json<NewBook>> book) { return book ? (*book)->title : std::string("none"); });
  }
  App app;
};

TEST_F(JsonBody, is_read_into_a_struct) {
  Client client(app);
  EXPECT_EQ(client.post("/books", R"({"title":"Emma","year":1815,"extra":[]})").body, "Emma1815");
  EXPECT_EQ(client.post("/books", R"({"title":"Emma","year":1})", "Application/JSON; charset=utf-8").status, 200);
  EXPECT_EQ(client.post("/books", R"({"title":"Emma","year":1})", "application/vnd.book+json").status, 200);
}

TEST_F(JsonBody, is_refused_with_415_when_it_is_said_to_be_something_else) {
  Client client(app);
  for (const char* type : {"text/plain", "application/jsonp", "application/json+x", "+json/x", "json", ""}) {
    EXPECT_EQ(client.post("/books", R"({"title":"Emma","year":1})", type).status, 415) << type;
  }
  const auto answer = client.send({Method::Post, "/books", {}, R"({"title":"Emma","year":1})"});
  EXPECT_EQ(answer.status, 415);
  EXPECT_EQ(answer.field("accept"), "application/json");
}

TEST_F(JsonBody, is_refused_with_400_when_it_is_no_json) {
  Client client(app);
  for (const char* text : {"{", "", "{\"title\":}", "nul", "{} {}"}) {
    const TestResponse answer = client.post("/books", text);
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  }
  EXPECT_EQ(client.send({Method::Post, "/books"}).status, 400) << "nothing was sent";
}

TEST_F(JsonBody, is_refused_with_422_that_names_every_bad_member) {
  const TestResponse answer = Client(app).post("/books", R"({"title":1})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"/title")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"/year")"));
}

TEST_F(JsonBody, may_be_optional_but_not_wrong) {
  Client client(app);
  EXPECT_EQ(client.send({Method::Post, "/maybe"}).body, "none");
  EXPECT_EQ(client.post("/maybe", R"({"title":"Emma","year":1})").body, "Emma");
  EXPECT_EQ(client.post("/maybe", R"({"title":2})").status, 422);
  EXPECT_EQ(client.post("/maybe", "x", "text/plain").status, 415);
}

TEST(FormBody, is_read_into_a_struct) {
  App app;
  app.post("/", [](Form<Login> login) { return login->user + "/" + login->password; });
  app.post("/maybe",
           [](const std::optional<Form<Login>>& login) { return login ? (*login)->user : std::string("none"); });
  Client client(app);
  constexpr std::string_view form = "application/x-www-form-urlencoded";
  EXPECT_EQ(client.post("/", "user=a+b&password=%26", form).body, "a b/&");
  EXPECT_EQ(client.post("/", "user=a&password=b", "application/x-www-form-urlencoded; charset=utf-8").body, "a/b");
  EXPECT_EQ(client.post("/", "user=a", form).status, 422);
  EXPECT_EQ(client.post("/", "user=%z", form).status, 400);
  const auto answer = client.post("/", "user=a&password=b", "text/plain");
  EXPECT_EQ(answer.status, 415);
  EXPECT_EQ(answer.field("accept"), "application/x-www-form-urlencoded");
  EXPECT_EQ(client.send({Method::Post, "/"}).status, 400);
  EXPECT_EQ(client.send({Method::Post, "/maybe"}).body, "none");
  EXPECT_EQ(client.post("/maybe", "user=a", form).status, 422);
}

TEST(HeaderField, is_found_in_any_case_and_converted) {
  App app;
  app.get("/text", [](Header<"X-Name"> name) { return std::string(*name); });
  app.get("/number", [](Header<"X-Number", int> number) { return *number; });
  app.get("/maybe", [](const std::optional<Header<"X-Number", int>>& number) { return number ? **number : 0; });
  Client client(app);
  EXPECT_EQ(client.get("/text").status, 400);
  EXPECT_THAT(client.get("/text").body, HasSubstr("field 'X-Name' is missing"));
  EXPECT_EQ(client.get("/maybe").body, "0");
  client.with("x-name", "Ann").with("X-NUMBER", "7");
  EXPECT_EQ(client.get("/text").body, "Ann");
  EXPECT_EQ(client.get("/number").body, "7");
  EXPECT_EQ(client.get("/maybe").body, "7");
  Client other(app);
  other.with("x-number", "seven");
  EXPECT_EQ(other.get("/number").status, 400);
  EXPECT_THAT(other.get("/number").body, HasSubstr("field 'X-Number': expected an integer in range"));
  EXPECT_EQ(other.get("/maybe").status, 400) << "it is there, but wrong";
}

TEST(CookieField, is_found_and_converted) {
  App app;
  app.get("/", [](Cookie<"session"> session, std::optional<Cookie<"visits", int>> visits) {
    return std::string(*session) + (visits ? std::to_string(**visits) : "-");
  });
  Client none(app);
  EXPECT_EQ(none.get("/").status, 400);
  Client client(app);
  client.with("cookie", "a=b; session=s1");
  EXPECT_EQ(client.get("/").body, "s1-");
  client.with("cookie", "visits=3");
  EXPECT_EQ(client.get("/").body, "s13");
}

}  // namespace
}  // namespace tern
