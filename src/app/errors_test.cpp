// What is thrown, and what errors become: mappings, the problem hook, the reports; nothing leaks to the client.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestResponse;

struct ShopError {
  int code = 0;
};
struct SoldOut : ShopError {};
struct DatabaseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct LoginError : HttpError {
  LoginError() : HttpError(Status::Unauthorized, "log in first") {}
};

template <class E>
auto throwing(E error) {
  return [error]() -> std::string { throw error; };
}

TEST(Errors, http_error_is_its_status_detail_and_fields) {
  App app;
  app.get("/x", []() -> std::string { throw HttpError(Status::TooManyRequests, "slowly").set("retry-after", "9"); });
  app.get("/derived", throwing(LoginError()));
  Client client(app);
  const TestResponse answer = client.get("/x");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.field("retry-after"), "9");
  EXPECT_EQ(answer.field("content-type"), media::problem);
  EXPECT_EQ(answer.body, R"({"type":"about:blank","title":"Too Many Requests","status":429,"detail":"slowly"})");
  EXPECT_EQ(client.get("/derived").status, 401);
  EXPECT_TRUE(client.reports().empty());
}

TEST(Errors, anything_else_that_is_thrown_is_a_reported_500_that_leaks_nothing) {
  App app;
  app.get("/exception/{id}", [](int) -> std::string { throw std::runtime_error("password=hunter2"); });
  app.get("/number", throwing(7));
  app.get("/text", throwing("password=hunter2"));
  app.get("/task", []() -> Task<std::string> {
    throw std::runtime_error("password=hunter2");
    co_return "";
  });
  Client client(app);
  for (const char* target : {"/exception/1", "/number", "/text", "/task"}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, 500) << target;
    EXPECT_EQ(answer.body, R"({"type":"about:blank","title":"Internal Server Error","status":500})");
    for (const auto& [name, value] : answer.fields) EXPECT_THAT(value, Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(
      client.reports(),
      ElementsAre("GET /exception/{id}: password=hunter2", "GET /number: an exception that is no std::exception",
                  "GET /text: an exception that is no std::exception", "GET /task: password=hunter2"));
}

TEST(Errors, exceptions_are_mapped_by_type_with_derived_types_included) {
  App app;
  app.on_error([](const SoldOut& error) { return WithStatus{Status::Gone, error.code}; });
  app.on_error([](const ShopError& error) { return WithStatus{Status::Conflict, error.code}; });
  app.on_error([](const std::runtime_error& error) { return Response::text(error.what()); });
  app.on_error([](DatabaseError) { return "never: a base class was given before"; });
  app.get("/sold", []() -> std::string { throw SoldOut{{3}}; });
  app.get("/shop", []() -> Task<int> {
    throw ShopError{4};
    co_return 0;
  });
  app.get("/database", throwing(DatabaseError("down")));
  app.get("/other", throwing(std::logic_error("x")));
  Client client(app);
  EXPECT_EQ(client.get("/sold").status, 410);
  EXPECT_EQ(client.get("/sold").body, "3");
  EXPECT_EQ(client.get("/shop").status, 409);
  EXPECT_EQ(client.get("/shop").body, "4");
  EXPECT_EQ(client.get("/database").body, "down");
  EXPECT_EQ(client.get("/other").status, 500);
  EXPECT_THAT(client.reports(), ElementsAre("GET /other: x"));
}

TEST(Errors, returned_values_are_mapped_by_their_own_type_first_then_by_base_classes) {
  App app;
  app.on_error([](const ShopError& error) { return WithStatus{Status::Conflict, error.code}; });
  app.on_error([](const SoldOut& error) { return WithStatus{Status::Gone, error.code}; });
  app.on_error([](const std::exception& error) { return WithStatus{Status::BadGateway, std::string(error.what())}; });
  app.get("/sold", []() -> std::expected<int, SoldOut> { return std::unexpected(SoldOut{{3}}); });
  app.get("/shop", []() -> std::expected<int, ShopError> { return std::unexpected(ShopError{4}); });
  app.get("/database", []() -> std::expected<int, DatabaseError> { return std::unexpected(DatabaseError("down")); });
  app.get("/login", []() -> std::expected<int, LoginError> { return std::unexpected(LoginError()); });
  Client client(app);
  EXPECT_EQ(client.get("/sold").status, 410) << "exactly its type, though it was given later";
  EXPECT_EQ(client.get("/shop").status, 409);
  EXPECT_EQ(client.get("/database").status, 502);
  EXPECT_EQ(client.get("/database").body, "down");
  EXPECT_EQ(client.get("/login").status, 401) << "an HttpError says itself how it is answered";
  EXPECT_TRUE(client.reports().empty());
}

TEST(Errors, a_mapping_of_all_exceptions_leaves_http_errors_alone) {
  App app;
  app.on_error([](const std::exception&) { return Status::BadGateway; });
  app.get("/http", throwing(HttpError(Status::NotFound)));
  app.get("/other", throwing(std::runtime_error("x")));
  Client client(app);
  EXPECT_EQ(client.get("/http").status, 404);
  EXPECT_EQ(client.get("/other").status, 502);
}

TEST(Errors, http_errors_may_be_mapped_by_their_own_type) {
  App app;
  app.on_error([](const LoginError&) { return redirect("/login"); });
  app.get("/login-needed", throwing(LoginError()));
  app.get("/http", throwing(HttpError(Status::NotFound)));
  Client client(app);
  EXPECT_EQ(client.get("/login-needed").field("location"), "/login");
  EXPECT_EQ(client.get("/http").status, 404);
}

TEST(Errors, numbers_texts_and_enumerations_may_be_mapped) {
  enum class Fault { broken };
  App app;
  app.on_error([](int number) { return WithStatus{Status::Conflict, number}; });
  app.on_error([](const std::string& text) { return WithStatus{Status::Conflict, text}; });
  app.on_error([](Fault) { return Status::Locked; });
  app.get("/thrown", throwing(7));
  app.get("/returned", []() -> std::expected<Response, int> { return std::unexpected(8); });
  app.get("/text", []() -> std::expected<int, std::string> { return std::unexpected("text"); });
  app.get("/enum", []() -> std::expected<int, Fault> { return std::unexpected(Fault::broken); });
  Client client(app);
  EXPECT_EQ(client.get("/thrown").body, "7");
  EXPECT_EQ(client.get("/returned").body, "8");
  EXPECT_EQ(client.get("/text").body, "text");
  EXPECT_EQ(client.get("/enum").status, 423);
}

TEST(Errors, a_mapping_may_throw_an_http_error) {
  App app;
  app.on_error(
      [](const ShopError& error) -> Response { throw HttpError(Status::Conflict, std::to_string(error.code)); });
  app.get("/thrown", throwing(ShopError{5}));
  app.get("/returned", []() -> std::expected<int, ShopError> { return std::unexpected(ShopError{6}); });
  Client client(app);
  for (const char* target : {"/thrown", "/returned"}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(answer.field("content-type"), media::problem);
  }
  EXPECT_TRUE(client.reports().empty());
}

TEST(Errors, a_mapping_that_throws_is_a_reported_500) {
  App app;
  app.on_error([](const ShopError&) -> Response { throw std::runtime_error("mapping: hunter2"); });
  app.on_error([](int) -> Response { throw 7; });
  app.get("/thrown", throwing(ShopError{}));
  app.get("/returned", []() -> std::expected<int, ShopError> { return std::unexpected(ShopError{}); });
  app.get("/task", []() -> Task<int> {
    throw 7;
    co_return 0;
  });
  Client client(app);
  for (const char* target : {"/thrown", "/returned", "/task"}) {
    const TestResponse answer = client.get(target);
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.field("content-type"), media::problem);
    EXPECT_THAT(answer.body, Not(HasSubstr("hunter2")));
  }
  ASSERT_EQ(client.reports().size(), 3U);
  EXPECT_EQ(client.reports()[0], "GET /thrown: while an error was answered: mapping: hunter2");
  EXPECT_THAT(client.reports()[1], HasSubstr("GET /returned: "));
  EXPECT_THAT(client.reports()[2], HasSubstr("GET /task: while an error was answered: an exception that is no"));
}

TEST(Errors, all_look_as_the_hook_says) {
  App app;
  app.on_problem([](const Problem& problem) {
    Response response = Response::text("problem: " + problem.detail);
    for (const ProblemItem& item : problem.errors) response << " " << item.pointer;
    return response.set("x-hook", "yes");
  });
  struct Limit {
    int limit = 1;
  };
  app.get("/page/{id}", [](int, Query<Limit>) { return "x"; });
  app.get("/http", throwing(HttpError(Status::Conflict, "taken").set("retry-after", "1")));
  app.get("/broken", throwing(std::runtime_error("hunter2")));
  app.get("/status", [] { return Status::Forbidden; });
  app.get("/nothing", []() -> std::optional<int> { return std::nullopt; });
  Client client(app);
  const auto check = [&client](Method method, const char* target, int status, std::string_view body) {
    const TestResponse answer = client.send({method, target});
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_EQ(answer.field("x-hook"), "yes") << target;
    EXPECT_EQ(answer.body, body) << target;
    return answer;
  };
  check(Method::Get, "/none", 404, "problem: there is nothing at this path");
  check(Method::Get, "/page/x", 404, "problem: there is nothing at this path");
  EXPECT_EQ(check(Method::Put, "/page/1", 405, "problem: the method is not offered at this path").field("allow"),
            "GET, HEAD, OPTIONS");
  check(Method::Get, "/page/1?limit=x", 422, "problem: some parameters are wrong or missing limit");
  EXPECT_EQ(check(Method::Get, "/http", 409, "problem: taken").field("retry-after"), "1");
  check(Method::Get, "/broken", 500, "problem: ");
  check(Method::Get, "/status", 403, "problem: ");
  check(Method::Get, "/nothing", 404, "problem: there is no such thing");
  check(Method::Get, "/../x", 400, "problem: the path has a dot segment");
  check(Method::Get, "/page/%FF", 400, "problem: the path has percent escapes that are not UTF-8");
}

TEST(Errors, look_as_the_client_accepts_them) {
  App app;
  app.on_problem([](const Problem& problem, const Request* request) {
    const bool html = request != nullptr && request->accepts({media::problem, "text/html"}) == "text/html";
    if (html) return Response::html("<h1>" + std::to_string(code(problem.status)) + "</h1>");
    Problem own = problem;
    own.set_member("path", request != nullptr ? request->path() : "unknown");
    return Response::borrowed(media::problem, {}).content(to_json(own));
  });
  app.get("/broken", throwing(std::runtime_error("hunter2")));
  app.get("/late/{n}", [](int n) -> Task<int> {
    if (n == 0) throw HttpError(Status::Gone);
    co_return n;
  });
  Client client(app);
  EXPECT_THAT(client.get("/none").body, HasSubstr(R"("path":"/none"})"));
  EXPECT_THAT(client.get("/late/0").body, HasSubstr(R"("path":"/late/0"})"));
  EXPECT_THAT(client.get("/a b").body, HasSubstr(R"("path":"unknown"})"));
  client.with("accept", "text/html,*/*;q=0.8");
  EXPECT_EQ(client.get("/none").body, "<h1>404</h1>");
  EXPECT_EQ(client.get("/broken").body, "<h1>500</h1>");
}

TEST(Errors, a_mapping_may_look_at_the_request) {
  enum class Fault { None };
  App app;
  app.on_error([](const ShopError& error, const Request& request) {
    return WithStatus{Status::Conflict, std::string(request.path()) + " " + std::to_string(error.code)};
  });
  app.on_error([](Fault, const Request& request) { return std::string(request.path()); });
  app.get("/thrown", throwing(ShopError{7}));
  app.get("/returned", []() -> std::expected<int, Fault> { return std::unexpected(Fault::None); });
  Client client(app);
  EXPECT_EQ(client.get("/thrown").body, "/thrown 7");
  EXPECT_EQ(client.get("/returned").body, "/returned");
}

TEST(Errors, a_hook_that_throws_still_leaves_a_whole_answer) {
  App app;
  app.on_problem([](const Problem&) -> Response { throw std::runtime_error("hunter2"); });
  app.get("/x", [] { return "x"; });
  Client client(app);
  const TestResponse answer = client.send({Method::Post, "/x"});
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, OPTIONS");
  EXPECT_THAT(answer.body, HasSubstr("Method Not Allowed"));
}

TEST(Errors, an_unusable_field_of_the_answer_is_a_reported_500) {
  App app;
  app.get("/{text}", [](std::string_view text) { return Response::text("x").set("x-text", text); });
  Client client(app);
  EXPECT_EQ(client.get("/fine").status, 200);
  EXPECT_EQ(client.get("/a%0D%0Aset-cookie:b").status, 500);
  EXPECT_EQ(client.reports().size(), 1U);
}

TEST(Errors, in_a_report_are_one_line_even_for_a_path_with_line_ends) {
  App app;
  app.use([](Request&, Next) -> Reply { throw std::runtime_error("x"); });
  Client client(app);
  EXPECT_EQ(client.get("/a%0Ab").status, 500);
  EXPECT_THAT(client.reports(), ElementsAre("GET /a%0Ab: x"));
}

}  // namespace
}  // namespace tern
