// The document of the torture service and of small apps, and the comparison of responses with it.
#include "openapi/torture.hpp"

#include "openapi/components.hpp"
#include "openapi/document.hpp"
#include "openapi/json_value.hpp"
#include "openapi/parsed.hpp"
#include "openapi/validator.hpp"

#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

struct Stay {
  int begin;
  int end;
};

}  // namespace

template <>
struct tern::Rules<Stay> {
  static constexpr auto list = tern::rules(tern::check<&Stay::end>(
      "end_after_begin", "the end is after the begin", [](const Stay& stay) { return stay.end > stay.begin; }));
};

namespace tern {
namespace {

using openapi::JsonValue;
using testing::Client;
using testing::ContractError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Torture : public ::testing::Test {
protected:
  App app = torture::make_app();
  Client client{app};
  JsonValue document = parse(app.openapi_document());

  JsonValue schema(std::string_view name) { return at(document, {"components", "schemas", name}); }
  JsonValue property(std::string_view type, std::string_view name) {
    return at(document, {"components", "schemas", type, "properties", name});
  }
  JsonValue operation(std::string_view path, std::string_view method) { return at(document, {"paths", path, method}); }
  std::vector<std::string> statuses(std::string_view path, std::string_view method) {
    return operation(path, method).find("responses")->keys;
  }
};

TEST_F(Torture, numbers_have_formats_and_limits) {
  EXPECT_EQ(property("Everything", "i8"), parse(R"({"type":"integer","format":"int8","minimum":-128,"maximum":127})"));
  EXPECT_EQ(property("Everything", "u64"),
            parse(R"({"type":"integer","format":"uint64","minimum":0,"maximum":18446744073709551615})"));
  EXPECT_EQ(
      property("Everything", "i64"),
      parse(R"({"type":"integer","format":"int64","minimum":-9223372036854775808,"maximum":9223372036854775807})"));
  EXPECT_EQ(property("Everything", "precise"), parse(R"({"type":"number","format":"double"})"));
}

TEST_F(Torture, times_enums_and_containers_are_as_their_json) {
  EXPECT_EQ(property("Everything", "second"), parse(R"({"type":"string","format":"date-time"})"));
  EXPECT_EQ(schema("Colour"), parse(R"({"type":"string","enum":["Red","Green","Blue"]})"));
  EXPECT_EQ(property("Everything", "maybe"), parse(R"({"type":["string","null"]})"));
  EXPECT_EQ(property("Everything", "maybe_point"),
            parse(R"({"anyOf":[{"$ref":"#/components/schemas/Point"},{"type":"null"}]})"));
  EXPECT_EQ(property("Everything", "by_name"),
            parse(R"({"type":"object","additionalProperties":{"$ref":"#/components/schemas/Point"}})"));
  EXPECT_EQ(at(property("Everything", "triple"), {"prefixItems"}).items.size(), 3U);
}

TEST_F(Torture, types_that_contain_themselves_are_references) {
  EXPECT_EQ(property("Tree", "children"), parse(R"({"type":"array","items":{"$ref":"#/components/schemas/Tree"}})"));
  EXPECT_EQ(property("ListNode", "next"),
            parse(R"({"anyOf":[{"$ref":"#/components/schemas/ListNode"},{"type":"null"}]})"));
}

TEST_F(Torture, types_of_one_name_have_their_namespaces) {
  EXPECT_NE(at(document, {"components", "schemas"}).find("torture.first.Thing"), nullptr);
  EXPECT_NE(at(document, {"components", "schemas"}).find("torture.second.Thing"), nullptr);
  EXPECT_EQ(at(document, {"components", "schemas"}).find("Thing"), nullptr);
}

TEST_F(Torture, defaults_are_written_and_not_required) {
  EXPECT_EQ(schema("Settings").find("required"), nullptr);
  EXPECT_EQ(at(property("Settings", "volume"), {"default"}), parse("11"));
  EXPECT_EQ(at(property("Settings", "name"), {"default"}).text, "default \"quoted\"");
  EXPECT_EQ(at(property("Settings", "colour"), {"default"}).text, "Green");
  EXPECT_EQ(at(property("Settings", "timeout"), {"default"}), parse("30"));
}

TEST_F(Torture, a_type_of_responses_only_requires_all_members) {
  EXPECT_EQ(schema("Page_Item").find("required")->items.size(), 2U);
}

TEST_F(Torture, variants_are_one_of_their_alternatives) {
  EXPECT_EQ(property("Drawing", "shape"),
            parse(R"({"oneOf":[{"$ref":"#/components/schemas/Circle"},{"$ref":"#/components/schemas/Rectangle"}]})"));
  EXPECT_NE(property("Drawing", "note").find("anyOf"), nullptr) << "an integer is a number, too";
}

TEST_F(Torture, a_discriminator_is_a_property_and_a_keyword) {
  EXPECT_EQ(property("Deposit", "kind"), parse(R"({"type":"string","const":"deposit"})"));
  EXPECT_EQ(at(document, {"components", "schemas", "Closing", "required"}), parse(R"(["kind"])"));
  EXPECT_EQ(at(property("Account", "bookings"), {"items", "discriminator"}),
            parse(R"({"propertyName":"kind","mapping":{"deposit":"#/components/schemas/Deposit",)"
                  R"("withdrawal":"#/components/schemas/Withdrawal","closing":"#/components/schemas/Closing"}})"));
  EXPECT_EQ(property("Account", "last").find("discriminator"), nullptr) << "null is no component";
  EXPECT_EQ(property("Account", "opening").find("discriminator"), nullptr) << "text is no component";
}

TEST_F(Torture, a_codec_states_its_own_schema) {
  EXPECT_EQ(property("Item", "price"), parse(R"({"type":"string","pattern":"^[0-9]{1,9}\\.[0-9]{2}$"})"));
}

TEST_F(Torture, rules_are_keywords) {
  EXPECT_EQ(property("Ruled", "title"),
            parse(R"({"type":"string","minLength":1,"maxLength":20,"examples":["A title"]})"));
  EXPECT_EQ(property("Ruled", "year"), parse(R"({"type":"integer","format":"int32","minimum":1450,"maximum":2100,
      "deprecated":true})"));
  EXPECT_EQ(property("Ruled", "price"),
            parse(R"({"type":"number","format":"double","exclusiveMinimum":0,"maximum":1000})"));
  EXPECT_EQ(property("Ruled", "tags"), parse(R"({"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},
      "minItems":0,"maxItems":3,"uniqueItems":true})"));
  EXPECT_EQ(at(property("Ruled", "counts"), {"additionalProperties", "minimum"}), parse("0"));
  EXPECT_EQ(property("Ruled", "mail"), parse(R"({"type":"string","format":"email"})"));
  EXPECT_EQ(property("Ruled", "size"), parse(R"({"type":"string","enum":["small","large"]})"));
  EXPECT_TRUE(at(property("Ruled", "id"), {"readOnly"}).boolean);
  EXPECT_TRUE(at(property("Ruled", "secret"), {"writeOnly"}).boolean);
  EXPECT_EQ(*schema("Ruled").find("required"), parse(R"(["title","year","price","tags","counts","mail","size"])"));
  const JsonValue parameters = at(operation("/parameters/ruled", "get"), {"parameters"});
  EXPECT_EQ(parameters.items[0], parse(R"({"name":"limit","in":"query","description":"At most 100","schema":{
      "type":"integer","format":"int32","minimum":1,"maximum":100,"default":10}})"));
  EXPECT_EQ(parameters.items[2].find("description")->text, "Counted from 1");
}

TEST_F(Torture, parameters_have_their_place_type_and_default) {
  const JsonValue parameters = at(operation("/parameters/one", "get"), {"parameters"});
  ASSERT_EQ(parameters.items.size(), 3U);
  EXPECT_EQ(parameters.items[0], parse(R"({"name":"page","in":"query","schema":{"type":"integer","format":"int32",
      "minimum":-2147483648,"maximum":2147483647,"default":1}})"));
  const JsonValue fields = at(operation("/parameters/fields", "get"), {"parameters"});
  EXPECT_EQ(fields.items[0].find("in")->text, "header");
  EXPECT_TRUE(fields.items[0].find("required")->boolean);
  EXPECT_EQ(fields.items[2],
            parse(R"({"name":"theme","in":"cookie","schema":{"$ref":"#/components/schemas/Colour"}})"));
  const JsonValue named = at(operation("/parameters/named/{a}/{b}", "get"), {"parameters"});
  EXPECT_EQ(named.items[1], parse(R"({"name":"b","in":"path","required":true,"schema":{"type":"boolean"}})"));
}

TEST_F(Torture, the_responses_are_those_that_the_types_allow) {
  EXPECT_THAT(statuses("/items", "post"), ElementsAre("201", "400", "413", "415", "422"));
  EXPECT_THAT(statuses("/items/{id}", "get"), ElementsAre("200", "400", "404"));
  EXPECT_THAT(statuses("/responses/nothing", "get"), ElementsAre("204"));
  EXPECT_THAT(statuses("/responses/redirect", "get"), ElementsAre("3XX"));
  EXPECT_THAT(statuses("/responses/buy/{id}", "get"), ElementsAre("200", "400", "404", "409"));
  EXPECT_THAT(statuses("/secret/number", "get"), ElementsAre("200", "401"));
  EXPECT_NE(at(operation("/items", "post"), {"responses", "201", "headers", "Location"}).find("schema"), nullptr);
}

TEST_F(Torture, forms_are_content_with_files) {
  const JsonValue form =
      at(operation("/parameters/upload", "post"), {"requestBody", "content", "multipart/form-data", "schema"});
  EXPECT_EQ(at(form, {"properties", "file"}), parse(R"({"type":"string","format":"binary"})"));
  EXPECT_EQ(*form.find("required"), parse(R"(["title","file"])"));
}

TEST_F(Torture, routes_have_ids_tags_and_texts) {
  EXPECT_EQ(operation("/items/{id}", "get").find("operationId")->text, "oneItem");
  EXPECT_EQ(operation("/items", "post").find("operationId")->text, "items.post");
  EXPECT_EQ(operation("/parameters/query", "get").find("operationId")->text, "parameters.query");
  EXPECT_EQ(operation("/responses/text", "get").find("operationId")->text, "get_responses_text");
  EXPECT_EQ(*operation("/json/tree", "post").find("tags"), parse(R"(["JSON"])"));
  EXPECT_EQ(*operation("/parameters/query", "get").find("tags"), parse(R"(["parameters"])"));
  EXPECT_EQ(*operation("/inner/inside", "get").find("tags"), parse(R"(["inner"])"));
  EXPECT_TRUE(operation("/parameters/stream", "post").find("deprecated")->boolean);
  EXPECT_EQ(*operation("/secret/number", "get").find("security"), parse(R"([{"key":[]}])"));
  EXPECT_EQ(
      at(operation("/json/settings", "post"), {"requestBody", "content", "application/json", "example", "volume"}),
      parse("11"));
}

TEST_F(Torture, hidden_routes_and_the_documents_own_are_left_out) {
  const JsonValue paths = at(document, {"paths"});
  EXPECT_EQ(paths.find("/hidden"), nullptr);
  EXPECT_EQ(paths.find("/openapi.json"), nullptr);
  EXPECT_EQ(paths.find("/docs"), nullptr);
}

TEST_F(Torture, methods_without_a_place_in_openapi_are_extensions) {
  EXPECT_NE(at(document, {"paths", "/cache"}).find("x-purge"), nullptr);
  EXPECT_NE(at(document, {"paths", "/responses/echo"}).find("x-websocket"), nullptr);
}

TEST_F(Torture, patterns_of_one_form_are_one_path) {
  EXPECT_EQ(at(document, {"paths"}).find("/items/{name}"), nullptr);
  EXPECT_THAT(operation("/items/{id}", "get").find("description")->text, HasSubstr("/items/{name:[a-z]+}"));
  EXPECT_EQ(at(operation("/items/{id}", "get"), {"responses", "200", "content"}).keys.size(), 2U);
}

TEST_F(Torture, the_document_is_served_with_an_entity_tag) {
  const auto json = client.get("/openapi.json");
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.field("content-type"), "application/json");
  EXPECT_EQ(parse(json.body), document);
  const auto again = client.send({Method::Get, "/openapi.json", {{"if-none-match", std::string(json.field("etag"))}}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_THAT(client.get("/openapi.yaml").body, HasSubstr("openapi: \"3.1.0\"\n"));
  EXPECT_THAT(std::string(client.get("/docs").field("content-security-policy")), HasSubstr("default-src 'none'"));
}

TEST_F(Torture, the_document_is_the_same_each_time) {
  App other = torture::make_app();
  EXPECT_EQ(app.openapi_document(), other.openapi_document());
}

TEST_F(Torture, responses_are_those_of_the_contract) {
  client.check_contract();
  EXPECT_EQ(client.get("/items/7").status, 200);
  EXPECT_EQ(client.get("/items/8").status, 404);
  EXPECT_EQ(client.get("/items/abc").status, 200);
  EXPECT_EQ(client.post("/items", R"({"name":"x","price":"1.50"})").status, 201);
  EXPECT_EQ(client.post("/items", R"({"name":1})").status, 422);
  EXPECT_EQ(client.post("/items", "{").status, 400);
  EXPECT_EQ(client.post("/items", "x", "text/plain").status, 415);
  EXPECT_EQ(client.get("/responses/buy/2").status, 409);
  EXPECT_EQ(client.get("/responses/check/-1").status, 409);
  EXPECT_EQ(client.get("/responses/flag").status, 200);
  EXPECT_EQ(client.get("/responses/counts").status, 200);
  EXPECT_EQ(client.get("/responses/accepted").status, 202);
  EXPECT_EQ(client.get("/responses/events").status, 200);
  EXPECT_EQ(client.get("/responses/redirect").status, 303);
  EXPECT_EQ(client.get("/secret/number").status, 401);
  EXPECT_EQ(client.get("/parameters/query?limit=x").status, 422);
  EXPECT_EQ(client.post("/json/settings", "{}").status, 200);
  EXPECT_EQ(client.post("/json/drawing", R"({"shape":{"radius":1},"note":[1,2]})").status, 200);
  EXPECT_EQ(client.post("/json/tree", R"({"label":"a","children":[{"label":"b","children":[]}]})").status, 200);
  EXPECT_EQ(client.del("/documents/1").status, 204);
  EXPECT_EQ(client.head("/items/7").status, 200);
  EXPECT_EQ(client.get("/nowhere").status, 404);
}

// --- Drift ---------------------------------------------------------------------------------------------------------

std::string contract_error(Client& client, std::string_view target) {
  try {
    client.check_contract().get(target);
    return "none";
  } catch (const ContractError& error) {
    return error.what();
  }
}

TEST(CheckContract, finds_a_status_that_the_contract_does_not_have) {
  App app;
  app.get("/teapot", []() -> std::string { throw HttpError(Status::Gone, "short and stout"); });
  Client client(app);
  EXPECT_THAT(contract_error(client, "/teapot"), HasSubstr("GET '/teapot' responded 410"));
}

TEST(CheckContract, accepts_a_status_that_the_route_states) {
  App app;
  app.get("/teapot", []() -> std::string { throw HttpError(Status::Gone, "short"); }).problem(Status::Gone);
  Client client(app);
  EXPECT_EQ(contract_error(client, "/teapot"), "none");
}

TEST(CheckContract, finds_json_that_the_schema_does_not_allow) {
  App app;
  app.get("/point", [] { return Response::json(R"({"x":1,"y":"two"})"); }).response<torture::Point>(Status::Ok);
  Client client(app);
  EXPECT_THAT(contract_error(client, "/point"), HasSubstr("'/y': is of another type"));
}

TEST(CheckContract, finds_another_media_type) {
  App app;
  app.get("/csv", [] { return Response::text("a"); }).response(Status::Ok, "A table", "text/csv");
  Client client(app);
  EXPECT_THAT(contract_error(client, "/csv"), HasSubstr("'text/plain'"));
}

TEST(CheckContract, ignores_responses_without_a_documented_route) {
  App app;
  app.get("/hidden", []() -> std::string { throw HttpError(Status::Gone, ""); }).hide();
  Client client(app);
  EXPECT_EQ(contract_error(client, "/hidden"), "none");
  EXPECT_EQ(contract_error(client, "/nowhere"), "none");
}

// --- Mistakes ------------------------------------------------------------------------------------------------------

std::string setup_error(App& app) {
  try {
    static_cast<void>(app.service());
    return "none";
  } catch (const SetupError& error) {
    return error.what();
  }
}

TEST(OpenApi, two_operations_with_one_id_are_a_mistake) {
  App app;
  app.get("/a", [] { return 1; }).operation_id("x");
  app.get("/b", [] { return 1; }).operation_id("x");
  app.openapi({});
  EXPECT_THAT(setup_error(app), HasSubstr("another operation has the id 'x'"));
}

TEST(OpenApi, an_unknown_security_scheme_is_a_mistake) {
  App app;
  app.get("/a", [] { return 1; }).security("bearer");
  app.openapi({});
  EXPECT_THAT(setup_error(app), HasSubstr("security scheme 'bearer'"));
}

TEST(OpenApi, an_example_of_a_type_that_is_not_used_is_a_mistake) {
  App app;
  app.get("/a", [] { return 1; }).example(torture::Point{1, 2});
  app.openapi({});
  EXPECT_THAT(setup_error(app), HasSubstr("torture::Point"));
}

TEST(OpenApi, two_documents_are_a_mistake) {
  App app;
  app.openapi({}).openapi({.json = "/other.json", .yaml = ""});
  EXPECT_THAT(setup_error(app), HasSubstr("openapi() was called twice"));
}

TEST(OpenApi, a_mounted_app_may_have_a_document_of_its_own) {
  App inner;
  inner.get("/one", [] { return 1; });
  inner.openapi({.title = "Inner"});
  App app;
  app.get("/two", [] { return 2; });
  app.mount("/inner", std::move(inner));
  app.openapi({.title = "Outer"});
  Client client(app);
  const JsonValue of_inner = parse(client.get("/inner/openapi.json").body);
  EXPECT_THAT(of_inner.find("paths")->keys, ElementsAre("/inner/one"));
  const JsonValue of_outer = parse(client.get("/openapi.json").body);
  EXPECT_THAT(of_outer.find("paths")->keys, ElementsAre("/two", "/inner/one"));
}

TEST(OpenApi, a_setup_without_document_serves_none) {
  App app;
  app.get("/a", [] { return 1; });
  Client client(app);
  EXPECT_EQ(client.get("/openapi.json").status, 404);
  EXPECT_THAT(app.openapi_document({.title = "Not served"}), HasSubstr("Not served"));
}

TEST(OpenApi, predicates_are_described_in_words) {
  App app;
  app.post("/a", [](Json<Stay> stay) { return *stay; });
  const JsonValue document = parse(app.openapi_document());
  EXPECT_EQ(at(document, {"components", "schemas", "Stay", "description"}).text, "the end is after the begin");
}

TEST(OpenApi, unknown_members_are_denied_in_the_schema_too) {
  App app;
  app.deny_unknown_members();
  app.post("/a", [](Json<torture::Point> point) { return point->x; });
  const JsonValue document = parse(app.openapi_document());
  EXPECT_FALSE(at(document, {"components", "schemas", "Point", "additionalProperties"}).boolean);
}

TEST(OpenApi, problems_of_a_renderer_have_no_stated_content) {
  App app;
  app.on_problem([](const Problem&) { return Response::text("error"); });
  app.get("/a/{id}", [](int id) { return id; });
  const JsonValue document = parse(app.openapi_document());
  EXPECT_EQ(at(document, {"paths", "/a/{id}", "get", "responses", "404"}).find("content"), nullptr);
}

TEST(OpenApiNames, are_those_of_types_without_namespaces) {
  EXPECT_EQ(openapi::short_name("shop::Page<shop::Book>"), "Page_Book");
  EXPECT_EQ(openapi::short_name("shop::{anonymous}::Book"), "Book");
  EXPECT_EQ(openapi::short_name("main(int, char**)::Book"), "Book");
  EXPECT_EQ(openapi::short_name("Page<std::__cxx11::basic_string<char> >"), "Page_string");
  EXPECT_EQ(openapi::long_name("shop::Page<shop::Book>"), "shop.Page_shop.Book");
}

TEST(OpenApiYaml, quotes_what_yaml_would_take_for_something_else) {
  EXPECT_EQ(openapi::to_yaml(R"({"a":{"200":"yes","no":[],"b c":[1,{"d":"\n\"","e":{}}]}})"),
            "a:\n  \"200\": \"yes\"\n  \"no\": []\n  \"b c\":\n    - 1\n    - d: \"\\n\\\"\"\n      e: {}\n");
}

TEST(OpenApiYaml, escapes_characters_that_yaml_does_not_take_as_they_are) {
  EXPECT_EQ(
      openapi::to_yaml("{\"a\":\"\x7F \xC2\x80 \u00FC \xEF\xBF\xBE \\uD83D\\uDE00 \\\\uD83D \\u00e4 \U0001F600\"}"),
      "a: \"\\x7F \\x80 \u00FC \\uFFFE \\U0001F600 \\\\uD83D \\u00e4 \U0001F600\"\n");
}

// --- The validator -------------------------------------------------------------------------------------------------

std::string violation(const std::string& schema, const std::string& value) {
  const JsonValue root = parse(R"({"a":{"type":"integer"}})");
  openapi::Validator validator(root);
  return validator.violation(parse(schema), parse(value));
}

TEST(Validator, finds_violations_of_each_keyword) {
  const std::pair<std::string, std::string> invalid[] = {
      {R"({"type":"integer"})", "1.5"},
      {R"({"type":["string","null"]})", "1"},
      {R"({"$ref":"#/a"})", R"("x")"},
      {R"({"$ref":"#/missing"})", "1"},
      {R"({"enum":["a","b"]})", R"("c")"},
      {R"({"const":1})", "2"},
      {R"({"minimum":3})", "2"},
      {R"({"maximum":18446744073709551614})", "18446744073709551615"},
      {R"({"exclusiveMinimum":3})", "3"},
      {R"({"exclusiveMaximum":3})", "3"},
      {R"({"multipleOf":0.01})", "19.995"},
      {R"({"minLength":2})", R"("é")"},
      {R"({"maxLength":1})", R"("ab")"},
      {R"({"pattern":"^a+$"})", R"("b")"},
      {R"({"minItems":1})", "[]"},
      {R"({"maxItems":1})", "[1,2]"},
      {R"({"uniqueItems":true})", "[1,1.0]"},
      {R"({"items":{"type":"string"}})", "[1]"},
      {R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a",1])"},
      {R"({"required":["a"]})", "{}"},
      {R"({"properties":{"a":{"type":"string"}}})", R"({"a":1})"},
      {R"({"additionalProperties":false})", R"({"a":1})"},
      {R"({"propertyNames":{"pattern":"^[0-9]+$"}})", R"({"a":1})"},
      {R"({"minProperties":1})", "{}"},
      {R"({"allOf":[{"type":"string"}]})", "1"},
      {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1"},
      {R"({"oneOf":[{"type":"integer"},{"type":"number"}]})", "1"},
  };
  for (const auto& [schema, value] : invalid) EXPECT_NE(violation(schema, value), "") << schema << " " << value;
}

TEST(Validator, accepts_what_each_keyword_allows) {
  const std::pair<std::string, std::string> valid[] = {
      {"true", "1"},
      {"{}", "null"},
      {R"({"type":"integer"})", "1.0"},
      {R"({"$ref":"#/a"})", "1"},
      {R"({"enum":[{"a":1,"b":2}]})", R"({"b":2,"a":1.0})"},
      {R"({"multipleOf":0.01})", "19.99"},
      {R"({"maxLength":1})", R"("é")"},
      {R"({"prefixItems":[{"type":"string"}]})", R"(["a",1])"},
      {R"({"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"null"}})", R"({"a":"x","b":null})"},
      {R"({"oneOf":[{"type":"integer"},{"type":"string"}]})", "1"},
  };
  for (const auto& [schema, value] : valid) EXPECT_EQ(violation(schema, value), "") << schema << " " << value;
}

TEST(Validator, names_the_place) {
  EXPECT_EQ(violation(R"({"properties":{"a/b":{"items":{"type":"string"}}}})", R"({"a/b":["x",1]})"),
            "'/a~1b/1': is of another type than the contract's");
}

}  // namespace
}  // namespace tern
