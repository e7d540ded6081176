// Several representations of one path, told apart by Accept.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestResponse;

struct Report {
  int rows = 3;
};
struct ReportV2 {
  int count = 3;
};

TestResponse ask(Client& client, const std::string& accept, const std::string& target = "/report",
                 const std::string& method = "GET") {
  return client.send({.method = method, .target = target, .fields = {{"accept", accept}}});
}

std::string type_of(const TestResponse& answer) {
  return answer.status == 200 ? std::string(answer.field("content-type")) : std::to_string(answer.status);
}

std::string mistakes(App& app) {
  try {
    static_cast<void>(app.service());
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

void add_report(App& app) {
  app.get("/report", [] { return Report{}; });
  app.get("/report", produces("text/csv", [] { return std::string("rows\n3\n"); }));
  app.get("/report", produces("application/vnd.report.v2+json", [] { return ReportV2{}; }));
}

TEST(Negotiation, serves_what_the_client_prefers) {
  App app;
  add_report(app);
  Client client(app);
  EXPECT_EQ(type_of(ask(client, "application/json")), "application/json");
  EXPECT_EQ(ask(client, "application/json").body, R"({"rows":3})");
  EXPECT_EQ(type_of(ask(client, "text/csv")), "text/csv; charset=utf-8");
  EXPECT_EQ(ask(client, "text/csv").body, "rows\n3\n");
  EXPECT_EQ(type_of(ask(client, "application/vnd.report.v2+json")), "application/vnd.report.v2+json");
  EXPECT_EQ(ask(client, "application/vnd.report.v2+json").body, R"({"count":3})");
  EXPECT_EQ(type_of(ask(client, "text/*, application/json;q=0.9")), "text/csv; charset=utf-8");
  EXPECT_EQ(type_of(ask(client, "text/csv;q=0.1, application/vnd.report.v2+json;q=0.2")),
            "application/vnd.report.v2+json");
  EXPECT_EQ(type_of(ask(client, "application/*, application/json;q=0")), "application/vnd.report.v2+json");
}

TEST(Negotiation, serves_the_first_where_the_client_does_not_choose) {
  App app;
  add_report(app);
  Client client(app);
  EXPECT_EQ(type_of(client.get("/report")), "application/json");
  EXPECT_EQ(type_of(ask(client, "*/*")), "application/json");
  EXPECT_EQ(type_of(ask(client, "text/html, */*;q=0.1")), "application/json");
  const TestResponse head = ask(client, "text/csv", "/report", "HEAD");
  EXPECT_EQ(head.field("content-type"), "text/csv; charset=utf-8");
  EXPECT_EQ(head.body, "");
}

TEST(Negotiation, refuses_a_client_that_accepts_none) {
  App app;
  add_report(app);
  app.get("/one", produces("text/csv", [] { return std::string("a"); }));
  Client client(app);
  const TestResponse refused = ask(client, "image/png");
  EXPECT_EQ(refused.status, 406);
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
  EXPECT_EQ(refused.field("vary"), "Accept");
  EXPECT_THAT(refused.body, HasSubstr("application/json, text/csv, application/vnd.report.v2+json"));
  EXPECT_EQ(ask(client, "application/json", "/one").status, 406);
  EXPECT_EQ(ask(client, "text/csv", "/one").body, "a");
  EXPECT_EQ(client.get("/one").body, "a");
}

TEST(Negotiation, tells_caches_what_the_response_depends_on) {
  App app;
  add_report(app);
  app.get("/plain", [] { return Report{}; });
  Client client(app);
  EXPECT_EQ(client.get("/report").field("vary"), "Accept");
  EXPECT_EQ(ask(client, "text/csv").field("vary"), "Accept");
  EXPECT_FALSE(client.get("/plain").has("vary"));
}

TEST(Negotiation, keeps_the_type_of_errors_and_of_responses_that_have_their_own) {
  App app;
  app.get("/books/{id}", produces("application/vnd.book+json", [](int id) -> std::optional<Report> {
            if (id == 0) throw HttpError(Status::Gone, "it was sold");
            return id == 7 ? std::optional<Report>(Report{}) : std::nullopt;
          }));
  app.get("/raw", produces("text/calendar", [](Request&) { return Response::bytes("text/calendar", "BEGIN"); }));
  app.get("/empty", produces("text/csv", [] {}));
  Client client(app);
  EXPECT_EQ(type_of(client.get("/books/7")), "application/vnd.book+json");
  EXPECT_EQ(client.get("/books/8").status, 404);
  EXPECT_EQ(client.get("/books/8").field("content-type"), "application/problem+json");
  EXPECT_EQ(client.get("/books/8").field("vary"), "Accept");
  EXPECT_EQ(client.get("/books/0").field("content-type"), "application/problem+json");
  EXPECT_EQ(type_of(client.get("/raw")), "text/calendar");
  EXPECT_EQ(client.get("/empty").status, 204);
  EXPECT_FALSE(client.get("/empty").has("content-type"));
}

TEST(Negotiation, works_with_coroutines_chains_middleware_and_content) {
  App app;
  int calls = 0;
  app.route("/sum")
      .post([](Json<Report> report) { return report->rows; })
      .post(produces("text/csv",
                     [](Json<Report> report) -> Task<std::string> { co_return "n\n" + std::to_string(report->rows); }))
      .use([&calls](Request&, Next next) {
        ++calls;
        return next();
      });
  Client client(app);
  const auto post = [&client](const std::string& accept) {
    return client.send({.method = Method::Post,
                        .target = "/sum",
                        .fields = {{"accept", accept}, {"content-type", "application/json"}},
                        .body = R"({"rows":4})"});
  };
  EXPECT_EQ(post("application/json").body, "4");
  EXPECT_EQ(post("text/csv").body, "n\n4");
  EXPECT_EQ(post("text/csv").field("content-type"), "text/csv; charset=utf-8");
  EXPECT_EQ(calls, 3);
  const TestResponse other =
      client.send({.method = Method::Post, .target = "/sum", .fields = {{"content-type", "text/plain"}}, .body = "4"});
  EXPECT_EQ(other.status, 415);
}

TEST(Negotiation, has_the_placeholders_of_each_pattern) {
  App app;
  app.get("/books/{id}", produces("application/vnd.v1+json", [](Path<"id", int> id) { return *id; }));
  app.get("/books/{number}",
          produces("application/vnd.v2+json", [](Path<"number", int> number) { return 2 * *number; }));
  Client client(app);
  EXPECT_EQ(ask(client, "application/vnd.v1+json", "/books/7").body, "7");
  EXPECT_EQ(ask(client, "application/vnd.v2+json", "/books/7").body, "14");
}

TEST(Negotiation, of_a_mounted_app_is_among_its_own_and_the_outer_routes) {
  App inner;
  add_report(inner);
  App app;
  app.mount("/v1", std::move(inner));
  app.get("/v1/report", produces("text/html", [] { return std::string("<p>3"); }));
  Client client(app);
  EXPECT_EQ(type_of(ask(client, "text/csv", "/v1/report")), "text/csv; charset=utf-8");
  EXPECT_EQ(type_of(ask(client, "text/html", "/v1/report")), "text/html; charset=utf-8");
  EXPECT_EQ(type_of(client.get("/v1/report")), "application/json");
}

TEST(Negotiation, of_routes_that_cannot_be_told_apart_fails_the_start) {
  App same;
  same.get("/a", produces("text/csv", [] { return "a"; }));
  same.get("/a", produces("TEXT/csv", [] { return "a"; }));
  EXPECT_THAT(mistakes(same), HasSubstr("GET '/a' conflicts with '/a', which is registered already for text/csv"));
  App derived;
  derived.get("/a", [] { return Report{}; });
  derived.get("/a", produces("application/json", [] { return Report{}; }));
  EXPECT_THAT(mistakes(derived), HasSubstr("registered already for application/json"));
  App plain;
  plain.get("/a", [] { return Report{}; });
  plain.get("/a", produces("text/csv", [] { return "a"; }));
  plain.get("/a", [] { return "text"; });
  EXPECT_THAT(mistakes(plain), HasSubstr("GET '/a' conflicts with '/a', which is registered already"));
  App unknown;
  unknown.get("/a", [](Request&) { return Response::text("a"); });
  unknown.get("/a", produces("text/csv", [] { return "a"; }));
  EXPECT_THAT(mistakes(unknown), HasSubstr("the media type of one is not known; state it by tern::produces()"));
  App fallback;
  fallback.fallback(produces("text/csv", [] { return "a"; }));
  EXPECT_THAT(mistakes(fallback), HasSubstr("fallback: tern::produces() is for routes"));
}

}  // namespace
}  // namespace tern
