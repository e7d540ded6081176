// Responders: every type that a handler may return, and what becomes of it.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace {

struct Book {
  std::int64_t id;
  std::string title;
};
struct Shelf {
  std::vector<Book> books;
  std::map<std::string, int> counts;
};
enum class Colour { red, green };

struct Celsius {
  double degrees;
};
struct NotFoundInShop {
  int id;
};
struct OutOfStock {
  int id;
};
struct Unmapped {};

}  // namespace

template <>
struct tern::Respond<Celsius> {
  static Response to(Celsius value, Request& request) {
    Response response = Response::text("");
    response << value.degrees << " degrees at " << request.path();
    return response.set("x-unit", "C");
  }
};

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestResponse;

template <class F>
TestResponse answer_of(F handler) {
  App app;
  app.on_error(
      [](const NotFoundInShop& error) { return WithStatus{Status::NotFound, Book{error.id, "no such book"}}; });
  app.get("/x", std::move(handler));
  Client client(app);
  TestResponse answer = client.get("/x");
  EXPECT_EQ(client.reports().size(), answer.status >= 500 ? 1U : 0U);
  return answer;
}

void expect(const TestResponse& answer, int status, std::string_view type, std::string_view body) {
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(answer.field("content-type"), type);
  EXPECT_EQ(answer.body, body);
}

void expect_problem(const TestResponse& answer, int status) {
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(answer.field("content-type"), media::problem);
  EXPECT_THAT(answer.body, HasSubstr("\"status\":" + std::to_string(status)));
}

TEST(Respond, text_is_plain_text) {
  expect(answer_of([] { return "literal"; }), 200, media::text, "literal");
  expect(answer_of([] { return std::string("string"); }), 200, media::text, "string");
  expect(answer_of([] { return std::string_view("view"); }), 200, media::text, "view");
  expect(answer_of([] { return ""; }), 200, media::text, "");
}

TEST(Respond, text_that_is_not_utf8_does_not_say_that_it_is) {
  static const std::string latin1 = "caf\xE9";
  const auto check = [](const TestResponse& answer, std::string_view type, std::string_view content) {
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.field("content-type"), type);
    EXPECT_EQ(answer.body, content);
  };
  check(answer_of([] { return latin1; }), "text/plain", latin1);
  check(answer_of([] { return std::string_view(latin1); }), "text/plain", latin1);
  check(answer_of([] { return latin1.c_str(); }), "text/plain", latin1);
  check(answer_of([] { return Response::html(latin1); }), "text/html", latin1);
  check(answer_of([] { return std::string(10'000, 'x') + '\xE9'; }), "text/plain", std::string(10'000, 'x') + '\xE9');
  // The whole content counts, not the pieces that it was made of.
  check(answer_of([] { return Response() << '\xC3' << '\xA9'; }), "text/plain; charset=utf-8", "\xC3\xA9");
  check(answer_of([] { return Response() << "caf" << '\xE9'; }), "text/plain", latin1);
  check(answer_of([] { return Response::text("caf\xC3\xA9"); }), "text/plain; charset=utf-8", "caf\xC3\xA9");
  // A type that the application has set is its own.
  check(answer_of([] { return Response::text(latin1).set("content-type", "text/plain; charset=iso-8859-1"); }),
        "text/plain; charset=iso-8859-1", latin1);
  check(answer_of([] { return Response::borrowed(media::text, latin1); }), "text/plain; charset=utf-8", latin1);
}

TEST(Respond, text_of_references_and_views_is_copied_in_time) {
  const std::string text = "a text that no small string holds by itself";
  expect(answer_of([&text]() -> const std::string& { return text; }), 200, media::text, text);
  std::string changing = text;
  App app;
  app.get("/view", [&changing]() -> std::string_view { return changing; });
  app.get("/pointer", [&changing]() -> char* { return changing.data(); });
  app.use([&changing](Request&, Next next) {
    return next().then([&changing](Response response) {
      changing.assign(changing.size(), '!');
      return response;
    });
  });
  Client client(app);
  EXPECT_EQ(client.get("/view").body, text);
  changing = text;
  EXPECT_EQ(client.get("/pointer").body, text);
}

TEST(Respond, values_are_json) {
  expect(answer_of([] { return 42; }), 200, media::json, "42");
  expect(answer_of([] { return std::int64_t{-1}; }), 200, media::json, "-1");
  expect(answer_of([] { return 2.5; }), 200, media::json, "2.5");
  expect(answer_of([] { return true; }), 200, media::json, "true");
  expect(answer_of([] { return Colour::green; }), 200, media::json, "\"green\"");
  expect(answer_of([] { return Book{1, "Emma"}; }), 200, media::json, R"({"id":1,"title":"Emma"})");
  expect(answer_of([] { return std::vector<int>{1, 2}; }), 200, media::json, "[1,2]");
  expect(answer_of([] { return std::vector<std::string>{}; }), 200, media::json, "[]");
  expect(answer_of([] { return std::array<bool, 2>{true, false}; }), 200, media::json, "[true,false]");
  expect(answer_of([] { return std::map<std::string, double>{{"a", 1.5}}; }), 200, media::json, R"({"a":1.5})");
  expect(answer_of([] { return std::make_unique<Book>(Book{1, "x"}); }), 200, media::json, R"({"id":1,"title":"x"})");
  expect(answer_of([] { return std::variant<int, std::string>("x"); }), 200, media::json, "\"x\"");
  expect(answer_of([] { return Shelf{{{1, "a"}, {2, "b"}}, {{"all", 2}}}; }), 200, media::json,
         R"({"books":[{"id":1,"title":"a"},{"id":2,"title":"b"}],"counts":{"all":2}})");
}

TEST(Respond, optional_is_its_value_or_404) {
  expect(answer_of([]() -> std::optional<int> { return 7; }), 200, media::json, "7");
  expect(answer_of([]() -> std::optional<std::string> { return "x"; }), 200, media::text, "x");
  expect(answer_of([]() -> std::optional<Celsius> { return Celsius{2}; }), 200, media::text, "2 degrees at /x");
  expect_problem(answer_of([]() -> std::optional<Book> { return std::nullopt; }), 404);
  const std::optional<Book> kept = Book{1, "x"};
  expect(answer_of([&kept]() -> const std::optional<Book>& { return kept; }), 200, media::json,
         R"({"id":1,"title":"x"})");
}

TEST(Respond, expected_is_its_value) {
  expect(answer_of([]() -> std::expected<Book, Status> { return Book{1, "x"}; }), 200, media::json,
         R"({"id":1,"title":"x"})");
  expect(answer_of([]() -> std::expected<void, Status> { return {}; }), 204, "", "");
  expect(answer_of([]() -> std::expected<std::string, Unmapped> { return "fine"; }), 200, media::text, "fine");
  expect_problem(answer_of([]() -> std::expected<std::optional<int>, Status> { return std::nullopt; }), 404);
  EXPECT_EQ(answer_of([]() -> std::expected<Created<Book>, Status> { return Created{Book{1, "x"}}; }).status, 201);
}

TEST(Respond, expected_answers_with_its_error) {
  expect_problem(answer_of([]() -> std::expected<Book, Status> { return std::unexpected(Status::Gone); }), 410);
  expect_problem(answer_of([]() -> std::expected<void, Status> { return std::unexpected(Status::Gone); }), 410);
  expect(answer_of([]() -> std::expected<Book, Status> { return std::unexpected(Status::NotModified); }), 304, "", "");
  const TestResponse problem = answer_of([]() -> std::expected<Book, Problem> {
    return std::unexpected(Problem{Status::Conflict, "taken", {{"/title", "is taken"}}, {}});
  });
  expect_problem(problem, 409);
  EXPECT_THAT(problem.body, HasSubstr("/title"));
  const TestResponse error = answer_of([]() -> std::expected<int, HttpError> {
    return std::unexpected(HttpError(Status::Unauthorized, "log in").set("www-authenticate", "Basic"));
  });
  expect_problem(error, 401);
  EXPECT_EQ(error.field("www-authenticate"), "Basic");
  EXPECT_EQ(answer_of([]() -> std::expected<int, Redirect> { return std::unexpected(redirect("/y")); }).status, 303);
  expect(answer_of([]() -> std::expected<int, Response> { return std::unexpected(Response::text("other")); }), 200,
         media::text, "other");
  expect(answer_of([]() -> std::expected<int, Celsius> { return std::unexpected(Celsius{1}); }), 200, media::text,
         "1 degrees at /x");
}

TEST(Respond, expected_answers_a_domain_error_by_its_mapping) {
  expect(answer_of([]() -> std::expected<Book, NotFoundInShop> { return std::unexpected(NotFoundInShop{7}); }), 404,
         media::json, R"({"id":7,"title":"no such book"})");
  expect(answer_of([]() -> Task<std::expected<Book, NotFoundInShop>> { co_return std::unexpected(NotFoundInShop{7}); }),
         404, media::json, R"({"id":7,"title":"no such book"})");
}

TEST(Respond, expected_with_an_error_that_nothing_maps_is_a_reported_500) {
  App app;
  app.get("/struct", []() -> std::expected<Book, OutOfStock> { return std::unexpected(OutOfStock{7}); });
  app.get("/text", []() -> std::expected<Book, std::string> { return std::unexpected("the password is secret"); });
  app.get("/number", []() -> std::expected<Book, int> { return std::unexpected(5); });
  app.get("/enum", []() -> std::expected<Book, Colour> { return std::unexpected(Colour::red); });
  Client client(app);
  for (const char* target : {"/struct", "/text", "/number", "/enum"}) {
    const TestResponse answer = client.get(target);
    expect_problem(answer, 500);
    EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
  }
  ASSERT_EQ(client.reports().size(), 4U);
  EXPECT_THAT(client.reports()[0], HasSubstr("GET /struct: a handler returned an error of type "));
  EXPECT_THAT(client.reports()[0], HasSubstr("OutOfStock"));
  EXPECT_THAT(client.reports()[0], HasSubstr("app.on_error"));
}

TEST(Respond, created_has_a_location_when_it_is_given) {
  const TestResponse with = answer_of([] { return Created<Book>{{7, "Emma"}, "/books/7"}; });
  expect(with, 201, media::json, R"({"id":7,"title":"Emma"})");
  EXPECT_EQ(with.field("location"), "/books/7");
  const TestResponse without = answer_of([] { return Created{std::string("made")}; });
  expect(without, 201, media::text, "made");
  EXPECT_FALSE(without.has("location"));
}

TEST(Respond, created_and_with_status_do_not_hide_a_failure_inside) {
  expect_problem(answer_of([] { return Created<std::optional<Book>>{std::nullopt, "/books/7"}; }), 404);
  expect_problem(answer_of([] { return WithStatus<std::optional<Book>>{Status::Accepted, std::nullopt}; }), 404);
}

TEST(Respond, with_status_has_the_status_of_the_handlers_choice) {
  expect(answer_of([] { return WithStatus{Status::Accepted, Book{1, "x"}}; }), 202, media::json,
         R"({"id":1,"title":"x"})");
  expect(answer_of([] { return WithStatus{Status{418}, "short"}; }), 418, media::text, "short");
}

TEST(Respond, redirect_has_a_location_and_must_be_a_redirect) {
  const TestResponse see_other = answer_of([] { return redirect("/y?a=b"); });
  expect(see_other, 303, "", "");
  EXPECT_EQ(see_other.field("location"), "/y?a=b");
  EXPECT_EQ(answer_of([] { return redirect("/ü b"); }).field("location"), "/%C3%BC%20b");
  EXPECT_EQ(answer_of([] { return Created<int>{1, "/ü b"}; }).field("location"), "/%C3%BC%20b");
  EXPECT_EQ(answer_of([] { return redirect("/y", Status::PermanentRedirect); }).status, 308);
  expect_problem(answer_of([] { return redirect("/y", Status::Ok); }), 500);
  expect_problem(answer_of([] { return redirect("/y\r\nset-cookie: a=b"); }), 500);
}

TEST(Respond, created_and_with_status_deduce_the_type_of_their_value) {
  const TestResponse book = answer_of([] { return created(Book{7, "Emma"}, "/books/7"); });
  expect(book, 201, media::json, R"({"id":7,"title":"Emma"})");
  EXPECT_EQ(book.field("location"), "/books/7");
  EXPECT_FALSE(answer_of([] { return created("made"); }).has("location"));
  expect(answer_of([] { return with_status(Status::Accepted, std::string("later")); }), 202, media::text, "later");
}

TEST(Respond, redirect_is_a_response_for_those_who_return_one) {
  const auto answer = [](bool found) -> std::optional<Response> {
    if (!found) return std::nullopt;
    return redirect("/y");
  };
  EXPECT_EQ(answer_of([&answer] { return answer(true); }).field("location"), "/y");
  expect_problem(answer_of([&answer] { return answer(false); }), 404);
  EXPECT_EQ(answer_of([]() -> Response { return redirect("/y", Status::TemporaryRedirect); }).status, 307);
}

TEST(Respond, status_is_empty_below_400_and_a_problem_from_there) {
  expect(answer_of([] { return Status::Accepted; }), 202, "", "");
  expect(answer_of([] { return Status::NoContent; }), 204, "", "");
  expect_problem(answer_of([] { return Status::Forbidden; }), 403);
  expect_problem(answer_of([]() -> Task<Status> { co_return Status::Forbidden; }), 403);
}

TEST(Respond, nothing_is_204) {
  expect(answer_of([] {}), 204, "", "");
  expect(answer_of([]() -> Task<void> { co_return; }), 204, "", "");
  expect(answer_of([]() -> Task<> { co_return; }), 204, "", "");
}

TEST(Respond, problems_and_errors_may_be_returned) {
  expect_problem(answer_of([] { return Problem{Status::Conflict, "taken", {}, {}}; }), 409);
  expect_problem(answer_of([] { return HttpError(Status::Locked); }), 423);
}

TEST(Respond, responses_and_replies_are_taken_as_they_are) {
  expect(answer_of([] { return Response::html("<p>"); }), 200, media::html, "<p>");
  expect(answer_of([]() -> Reply { return Response::text("ready"); }), 200, media::text, "ready");
  expect(answer_of(
             []() -> Reply { return [](int a) -> Task<Response> { co_return Response::text(std::to_string(a)); }(7); }),
         200, media::text, "7");
  expect_problem(answer_of([]() -> Reply {
                   return []() -> Task<Response> {
                     throw HttpError(Status::Gone);
                     co_return Response();
                   }();
                 }),
                 410);
  Response kept = Response::text("kept");
  expect(answer_of([&kept]() -> const Response& { return kept; }), 200, media::text, "kept");
  EXPECT_EQ(kept.content(), "kept");
}

TEST(Respond, a_task_is_what_it_ends_with) {
  expect(answer_of([]() -> Task<Response> { co_return Response::text("task"); }), 200, media::text, "task");
  expect(answer_of([]() -> Task<std::string> { co_return "a text that no small string holds by itself"; }), 200,
         media::text, "a text that no small string holds by itself");
  expect(answer_of([]() -> Task<std::vector<Book>> { co_return std::vector<Book>{{1, "x"}}; }), 200, media::json,
         R"([{"id":1,"title":"x"}])");
  expect_problem(answer_of([]() -> Task<std::optional<Book>> { co_return std::nullopt; }), 404);
  expect(answer_of([]() -> Task<Celsius> { co_return Celsius{3}; }), 200, media::text, "3 degrees at /x");
  expect_problem(answer_of([]() -> Task<std::string> {
                   throw HttpError(Status::Conflict);
                   co_return "";
                 }),
                 409);
  expect_problem(answer_of([]() -> Task<void> {
                   throw HttpError(Status::Conflict);
                   co_return;
                 }),
                 409);
}

TEST(Respond, users_may_say_how_their_types_are_answered) {
  const TestResponse answer = answer_of([] { return Celsius{36.5}; });
  expect(answer, 200, media::text, "36.5 degrees at /x");
  EXPECT_EQ(answer.field("x-unit"), "C");
  EXPECT_EQ(answer_of([] { return Created{Celsius{1}}; }).status, 201);
  EXPECT_EQ(answer_of([] { return WithStatus{Status::Accepted, Celsius{1}}; }).status, 202);
}

TEST(Respond, a_view_of_a_parameter_is_answered_before_it_dies) {
  App app;
  app.get("/{name}", [](const std::string& name) -> std::string_view { return name; });
  app.get("/task/{name}", [](std::string name) -> Task<std::string_view> { co_return name; });
  Client client(app);
  EXPECT_EQ(client.get("/a-name-that-no-small-string-holds").body, "a-name-that-no-small-string-holds");
  EXPECT_EQ(client.get("/task/a-name-that-no-small-string-holds").body, "a-name-that-no-small-string-holds");
}

}  // namespace
}  // namespace tern
