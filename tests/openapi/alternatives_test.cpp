// Documents of routes that differ by Accept, by host and by listener, and the comparison of their responses.
#include "openapi/parsed.hpp"
#include "openapi/torture.hpp"

#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace tern {
namespace {

using openapi::JsonValue;
using testing::Client;
using testing::ContractError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Report {
  int rows = 3;
};
struct ReportV2 {
  int count = 3;
};

testing::TestResponse ask(Client& client, const std::string& host, const std::string& target) {
  return client.send({.target = target, .fields = {{"host", host}}});
}

TEST(Representations, are_contents_of_one_operation) {
  App app;
  app.get("/report/{id}", [](int, QueryParam<"a", int> a) { return Report{*a}; });
  app.get("/report/{id}", produces("text/csv", [](int, QueryParam<"a", int>) { return std::string("a"); }));
  app.get("/report/{id}",
          produces("application/vnd.v2+json", [](int, QueryParam<"b", int> b) { return ReportV2{*b}; }));
  const JsonValue document = parse(app.openapi_document());
  const JsonValue operation = at(document, {"paths", "/report/{id}", "get"});
  EXPECT_THAT(at(operation, {"responses"}).keys, ElementsAre("200", "400", "404", "406", "422"));
  const JsonValue contents = at(operation, {"responses", "200", "content"});
  EXPECT_THAT(contents.keys, ElementsAre("application/json", "text/csv", "application/vnd.v2+json"));
  EXPECT_EQ(at(contents, {"application/json", "schema"}), parse(R"({"$ref":"#/components/schemas/Report"})"));
  EXPECT_EQ(at(contents, {"application/vnd.v2+json", "schema"}), parse(R"({"$ref":"#/components/schemas/ReportV2"})"));
  EXPECT_EQ(at(operation, {"parameters"}), parse(R"([{"name":"id","in":"path","required":true,
                       "schema":{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647}},
                      {"name":"a","in":"query",
                       "schema":{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647}},
                      {"name":"b","in":"query",
                       "schema":{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647}}])"));
  EXPECT_EQ(operation.find("description"), nullptr);
}

TEST(Representations, that_read_other_types_have_the_schemas_of_all) {
  App app;
  app.post("/orders", [](Json<Report> report) { return *report; }).example(Report{1});
  app.post("/orders", produces("application/vnd.v2+json",
                               [](Json<ReportV2> report, QueryParam<"dry", bool, false>) { return *report; }))
      .example(ReportV2{2});
  app.get("/orders", [](QueryParam<"page", int, 1> page) { return Report{*page}; });
  app.get("/orders", produces("text/plain", [](QueryParam<"page", std::string> page) { return *page; }));
  const JsonValue operations = at(parse(app.openapi_document()), {"paths", "/orders"});
  EXPECT_EQ(at(operations, {"post", "requestBody", "content", "application/json", "schema"}),
            parse(R"({"anyOf":[{"$ref":"#/components/schemas/Report"},{"$ref":"#/components/schemas/ReportV2"}]})"));
  EXPECT_EQ(at(operations, {"post", "responses", "200", "content", "application/vnd.v2+json", "example"}),
            parse(R"({"count":2})"));
  EXPECT_EQ(at(operations, {"get", "parameters"}), parse(R"([{"name":"page","in":"query","schema":{"anyOf":[
                      {"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647,"default":1},
                      {"type":"string"}]}}])"));
}

TEST(Patterns, that_are_one_path_have_the_schemas_of_all) {
  App app;
  app.get("/items/{id:[0-9]+}", [](int) { return Report{}; });
  app.get("/items/{name}", [](std::string) { return ReportV2{}; });
  EXPECT_EQ(at(parse(app.openapi_document()),
               {"paths", "/items/{id}", "get", "responses", "200", "content", "application/json", "schema"}),
            parse(R"({"anyOf":[{"$ref":"#/components/schemas/Report"},{"$ref":"#/components/schemas/ReportV2"}]})"));
  Client client(app);
  client.check_contract();
  EXPECT_NO_THROW(client.get("/items/7"));
  EXPECT_NO_THROW(client.get("/items/tern"));
}

TEST(Representations, are_compared_with_their_own_schema) {
  App app;
  app.get("/right", [] { return Report{}; });
  app.get("/right", produces("application/vnd.v2+json", [] { return ReportV2{}; }));
  app.get("/wrong", [](Request&) { return Response::bytes("application/vnd.v2+json", R"({"rows":3})"); })
      .response<Report>(Status::Ok);
  Client client(app);
  client.check_contract();
  for (const char* accept : {"application/json", "application/vnd.v2+json", "image/png"}) {
    EXPECT_NO_THROW(client.send({.target = "/right", .fields = {{"accept", accept}}})) << accept;
  }
  EXPECT_THROW(client.get("/wrong"), ContractError);
}

TEST(HostDocument, has_the_routes_that_requests_to_the_host_reach) {
  App app;
  app.get("/books", [] { return Report{}; });
  app.get("/health", [] { return "ok"; });
  Group api = app.host("api.example.org");
  api.get("/books", [] { return ReportV2{}; });
  api.get("/authors", [] { return "none"; });
  app.openapi({.title = "Site", .docs = "/docs"});
  app.openapi({.title = "API", .host = "API.example.org", .docs = "/docs"});
  const std::string own_document = app.openapi_document({.host = "api.example.org"});
  Client client(app);
  const JsonValue site = parse(ask(client, "example.org", "/openapi.json").body);
  const JsonValue own = parse(ask(client, "api.example.org", "/openapi.json").body);
  EXPECT_EQ(at(site, {"info", "title"}), parse(R"("Site")"));
  EXPECT_THAT(at(site, {"paths"}).keys, ElementsAre("/books", "/health"));
  EXPECT_EQ(at(own, {"info", "title"}), parse(R"("API")"));
  EXPECT_THAT(at(own, {"paths"}).keys, ElementsAre("/books", "/authors", "/health"));
  EXPECT_THAT(at(own, {"components", "schemas"}).keys, ElementsAre("ReportV2"));
  EXPECT_EQ(at(parse(own_document), {"paths"}), at(own, {"paths"}));
  EXPECT_THAT(ask(client, "api.example.org", "/docs").body, HasSubstr("API"));
  EXPECT_THAT(ask(client, "www.example.org", "/docs").body, HasSubstr("Site"));
}

TEST(ListenerDocument, is_served_at_the_listener_only) {
  App app;
  app.get("/", [] { return "public"; });
  app.listener("admin").get("/metrics", [] { return Report{}; });
  app.openapi({.title = "Administration", .listener = "admin", .docs = "/docs"});
  Client client(app);
  EXPECT_EQ(client.get("/openapi.json").status, 404);
  client.at_listener("admin");
  const JsonValue document = parse(client.get("/openapi.json").body);
  EXPECT_THAT(at(document, {"paths"}).keys, ElementsAre("/metrics"));
  EXPECT_EQ(client.get("/docs").status, 200);
}

TEST(Documents, of_each_route_table_are_compared_with_its_responses) {
  App app;
  const auto wrong = [](Request&) { return Response::text("text"); };
  app.get("/a", wrong).response<Report>(Status::Ok);
  app.host("api").get("/a", [] { return Report{}; });
  app.host("api").get("/b", wrong).response<Report>(Status::Ok);
  app.listener("admin").get("/a", [] { return "text"; });
  app.listener("admin").get("/c", wrong).response<Report>(Status::Ok);
  Client client(app);
  client.check_contract();
  EXPECT_THROW(client.get("/a"), ContractError);
  EXPECT_NO_THROW(ask(client, "api", "/a"));
  EXPECT_THROW(ask(client, "api", "/b"), ContractError);
  client.at_listener("admin");
  EXPECT_NO_THROW(client.get("/a"));
  EXPECT_THROW(client.get("/c"), ContractError);
}

TEST(Documents, are_one_for_each_route_table) {
  const auto mistakes = [](App& app) -> std::string {
    try {
      static_cast<void>(app.service());
    } catch (const SetupError& error) {
      return error.what();
    }
    return {};
  };
  App twice;
  twice.openapi({.host = "api", .json = "/a.json", .yaml = ""});
  twice.openapi({.host = "API", .json = "/b.json", .yaml = ""});
  EXPECT_THAT(mistakes(twice), HasSubstr("openapi() was called twice"));
  App both;
  both.openapi({.listener = "admin", .host = "api"});
  EXPECT_THAT(mistakes(both), HasSubstr("a document has the routes of a listener or of a host, not of both"));
}

TEST(Documents, have_the_rules_of_placeholders_by_position) {
  App app = torture::make_app();
  const JsonValue document = parse(app.openapi_document());
  EXPECT_EQ(at(document, {"paths", "/parameters/year/{year}", "get", "parameters"}),
            parse(R"([{"name":"year","in":"path","description":"Of the first edition","required":true,
                       "schema":{"type":"integer","format":"int32","minimum":1450,"maximum":2100}}])"));
}

}  // namespace
}  // namespace tern
