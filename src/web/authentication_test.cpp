// Authentication by every scheme, authorization behind it, and attacks on both.
#include "base/base64.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestResponse;

struct Member {
  std::string name;
  std::vector<std::string> roles = {};
  std::string scope = {};
};

std::optional<Member> member_of_token(std::string_view token) {
  if (token == "anna-token") return Member{"anna", {"admin"}, "books:read books:write"};
  if (token == "bert-token") return Member{"bert", {}, "books:read"};
  return std::nullopt;
}

Task<std::optional<Member>> member_of_token_later(std::string_view token) {
  co_await sleep_for(Milliseconds(5));
  co_return member_of_token(token);
}

std::string who(Identity<Member> member) {
  return member->name + " by " + std::string(member.scheme());
}

App app_with(Authentication<Member> authentication) {
  App app;
  app.state(Passwords({.memory_kib = 64, .iterations = 1}));
  app.use(std::move(authentication));
  app.get("/who", &who);
  app.get("/open", [] { return "closed"; });
  return app;
}

TestResponse get_with(Client& client, std::string_view value, std::string_view name = "authorization",
                      std::string_view target = "/who") {
  return client.send({.target = std::string(target), .fields = {{std::string(name), std::string(value)}}});
}

std::string get_status(Client& client, std::string_view value, std::string_view name = "authorization") {
  const TestResponse response = get_with(client, value, name);
  return response.ok() ? response.body : std::to_string(response.status);
}

std::vector<std::string> challenges_of(const TestResponse& response) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : response.fields) {
    if (name == "WWW-Authenticate") texts.push_back(value);
  }
  return texts;
}

std::string auth_setup_error(App& app) {
  try {
    const Client client(app);
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

// A scheme of a program, without a challenge.
class FieldScheme final : public AuthenticationScheme {
public:
  Attempt authenticate(Request& request) const override {
    const auto name = request.field("x-name");
    if (!name) return Finding{};
    identify(request, Member{std::string(*name)}, "field");
    return Finding{Finding::Kind::Proven, {}};
  }
  std::string challenge(std::string_view) const override { return {}; }
};

TEST(Authentication, by_a_bearer_token) {
  App app = app_with(Authentication<Member>().bearer(&member_of_token));
  Client client(app);
  EXPECT_EQ(get_status(client, "Bearer anna-token"), "anna by Bearer");
  EXPECT_EQ(get_status(client, "bearer   anna-token"), "anna by Bearer");
  for (const char* value : {"Bearer", "Bearer ", "Bearer a b", "Bearer anna-token, Bearer x", "Bearer \"anna-token\"",
                            "Bearer other", "Bearer anna-token=x", "Bearer ="}) {
    EXPECT_EQ(get_status(client, value), "401") << value;
  }
  EXPECT_EQ(get_status(client, "Bearerx anna-token"), "401");
}

TEST(Authentication, challenges_as_the_rfcs_say) {
  App app = app_with(Authentication<Member>()
                         .bearer(&member_of_token)
                         .basic([](std::string_view) { return std::optional<PasswordOf<Member>>(); })
                         .api_key([](std::string_view) { return std::optional<ApiKeyOf<Member>>(); })
                         .realm("the shop"));
  Client client(app);
  EXPECT_THAT(challenges_of(client.get("/who")),
              ElementsAre("Bearer realm=\"the shop\"", "Basic realm=\"the shop\", charset=\"UTF-8\"",
                          "ApiKey realm=\"the shop\", field=\"X-API-Key\""));
  EXPECT_THAT(challenges_of(get_with(client, "Bearer wrong"))[0],
              "Bearer realm=\"the shop\", error=\"invalid_token\", error_description=\"the credentials are unknown\"");
  EXPECT_EQ(client.get("/who").field("content-type"), "application/problem+json");
}

TEST(Authentication, closes_routes_that_do_not_ask_for_an_identity) {
  App app = app_with(Authentication<Member>().bearer(&member_of_token));
  Client client(app);
  EXPECT_EQ(client.get("/open").status, 401);
  EXPECT_EQ(client.get("/nowhere").status, 401);
  EXPECT_EQ(get_with(client, "Bearer anna-token", "authorization", "/open").body, "closed");
}

TEST(Authentication, may_be_optional_for_requests_without_credentials) {
  App app;
  app.use(Authentication<Member>().bearer(&member_of_token).optional());
  app.get("/who", &who);
  app.get("/open", [](std::optional<Identity<Member>> member) { return member ? (*member)->name : "anonymous"; });
  app.get("/some", [] { return "some"; }).use(require_identity());
  Client client(app);
  EXPECT_EQ(client.get("/open").body, "anonymous");
  EXPECT_EQ(get_with(client, "Bearer anna-token", "authorization", "/open").body, "anna");
  EXPECT_EQ(get_with(client, "Bearer wrong", "authorization", "/open").status, 401);
  EXPECT_EQ(client.get("/who").status, 401);
  EXPECT_THAT(challenges_of(client.get("/who")), ElementsAre("Bearer realm=\"api\""));
  EXPECT_EQ(client.get("/some").status, 401);
}

TEST(Authentication, may_wait_for_the_user) {
  App app = app_with(Authentication<Member>().bearer(&member_of_token_later));
  Client client(app);
  EXPECT_EQ(get_status(client, "Bearer anna-token"), "anna by Bearer");
  EXPECT_EQ(get_status(client, "Bearer other"), "401");
}

TEST(Authentication, gives_the_request_to_functions_that_ask_for_it) {
  App app = app_with(Authentication<Member>().bearer(
      [](std::string_view, const Request& request) { return std::optional(Member{std::string(request.path())}); }));
  Client client(app);
  EXPECT_EQ(get_status(client, "Bearer x"), "/who by Bearer");
}

TEST(Authentication, refuses_several_authorization_fields) {
  App app = app_with(Authentication<Member>().bearer(&member_of_token));
  Client client(app);
  client.with("authorization", "Bearer anna-token");
  EXPECT_EQ(get_status(client, "Bearer bert-token"), "401");
  EXPECT_EQ(get_status(client, "Basic YTpi"), "401");
}

TEST(Authentication, by_the_first_scheme_that_proves_an_identity) {
  App app = app_with(Authentication<Member>()
                         .bearer([](std::string_view) { return std::optional<Member>(); })
                         .bearer(&member_of_token_later)
                         .api_key([](std::string_view) { return std::optional<ApiKeyOf<Member>>(); }));
  Client client(app);
  EXPECT_EQ(get_status(client, "Bearer anna-token"), "anna by Bearer");
  EXPECT_EQ(get_status(client, "Bearer none"), "401");
}

TEST(Authentication, passes_an_identity_that_is_there_already) {
  App app;
  app.use(Authentication<Member>().bearer(&member_of_token).optional());
  Group inner = app.group("/inner");
  inner.use(Authentication<Member>().api_key([](std::string_view) { return std::optional<ApiKeyOf<Member>>(); }));
  inner.get("/who", &who);
  Client client(app);
  EXPECT_EQ(get_with(client, "Bearer anna-token", "authorization", "/inner/who").body, "anna by Bearer");
  EXPECT_EQ(client.get("/inner/who").status, 401);
  client.as(Member{"berta"});
  EXPECT_EQ(client.get("/inner/who").body, "berta by test");
}

TEST(Authentication, by_an_api_key) {
  const ApiKey made = ApiKey::generate("shop");
  const auto find = [made](std::string_view prefix) -> std::optional<ApiKeyOf<Member>> {
    if (prefix != made.prefix) return std::nullopt;
    return ApiKeyOf<Member>{{"robot"}, made.hash};
  };
  App app = app_with(Authentication<Member>().api_key(find));
  Client client(app);
  EXPECT_EQ(get_status(client, made.key, "x-api-key"), "robot by ApiKey");
  std::string wrong = made.key;
  wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
  for (const std::string& key :
       {wrong, made.prefix, made.hash, std::string(), made.key + "x", std::string(5000, 'a')}) {
    EXPECT_EQ(get_status(client, key, "x-api-key"), "401") << key;
  }
  EXPECT_EQ(get_status(client, made.key, "x-other"), "401");
  App other = app_with(Authentication<Member>().api_key(
      [find](std::string_view prefix) -> Task<std::optional<ApiKeyOf<Member>>> { co_return find(prefix); }, "X-Key"));
  Client client_of_other(other);
  EXPECT_EQ(get_status(client_of_other, made.key, "x-key"), "robot by ApiKey");
}

TEST(Authentication, by_an_api_key_keeps_answers_out_of_a_shared_cache) {
  const auto authentication = [] {
    return Authentication<Member>().scheme(base::Box<AuthenticationScheme>(new FieldScheme));
  };
  for (const bool cache_is_outside : {true, false}) {
    App app;
    if (cache_is_outside) app.use(cache({.ttl = Seconds(100)}));
    app.use(authentication());
    if (!cache_is_outside) app.use(cache({.ttl = Seconds(100)}));
    app.get("/who", &who);
    Client client(app);
    EXPECT_EQ(get_status(client, "anna", "x-name"), "anna by field");
    EXPECT_EQ(get_status(client, "bert", "x-name"), "bert by field");
    EXPECT_EQ(client.get("/who").status, 403);
  }
}

TEST(Authentication, by_a_client_certificate) {
  const auto check = [](const TlsFacts& facts) -> std::optional<Member> {
    if (facts.client_subject != "CN=anna") return std::nullopt;
    return Member{"anna"};
  };
  App app;
  app.use(Authentication<Member>().client_certificate(check));
  app.get("/who", &who);
  const auto status_with = [&app](const TlsFacts* facts) {
    MemoryExchange exchange(Method::Get, "/who");
    if (facts != nullptr) exchange.set_tls(*facts);
    return app.service().serve(exchange).response().status();
  };
  const TlsFacts anna = {.client_subject = "CN=anna", .client_fingerprint = "12ab"};
  const TlsFacts other = {.client_subject = "CN=other", .client_fingerprint = "12ab"};
  const TlsFacts none = {.version = "TLSv1.3"};
  EXPECT_EQ(status_with(&anna), Status::Ok);
  // No scheme has a challenge, which a 401 must have.
  EXPECT_EQ(status_with(&other), Status::Forbidden);
  EXPECT_EQ(status_with(&none), Status::Forbidden);
  EXPECT_EQ(status_with(nullptr), Status::Forbidden);
}

// --- Basic
// ------------------------------------------------------------------------------------------------------------

std::string basic(std::string_view text) {
  return "Basic " + base::to_base64(text);
}

// Users by name: the password of anna is "sesame:open".
App app_with_passwords() {
  const Passwords passwords({.memory_kib = 64, .iterations = 1});
  const auto hash_of = [&passwords](std::string_view password) {
    Task<std::string> task = passwords.hash(password);  // at once, without a loop
    EXPECT_TRUE(task.start([](void*) {}, nullptr));
    return task.result();
  };
  const std::vector<std::pair<std::string, std::string>> users = {
      {"anna", hash_of("sesame:open")}, {"bürger", hash_of("geheim")}, {"", hash_of("x")}};
  return app_with(Authentication<Member>().basic([users](std::string_view name) -> std::optional<PasswordOf<Member>> {
    for (const auto& [known, hash] : users) {
      if (known == name) return PasswordOf<Member>{{known}, hash};
    }
    return std::nullopt;
  }));
}

TEST(BasicAuthentication, has_a_name_up_to_the_first_colon) {
  App app = app_with_passwords();
  Client client(app);
  EXPECT_EQ(get_status(client, basic("anna:sesame:open")), "anna by Basic");
  EXPECT_EQ(get_status(client, basic("bürger:geheim")), "bürger by Basic");
  EXPECT_EQ(get_status(client, basic(":x")), " by Basic");
  EXPECT_EQ(get_status(client, "bAsIc " + base::to_base64("anna:sesame:open")), "anna by Basic");
  for (const char* text :
       {"anna", "anna:", "anna:sesame", "anna:sesame:open:", "anna:sesame:open ", "anna:sesame::open",
        ":anna:sesame:open", "anna::sesame:open", "Anna:sesame:open", "other:sesame:open", ":", ""}) {
    EXPECT_EQ(get_status(client, basic(text)), "401") << text;
  }
}

TEST(BasicAuthentication, is_strict_base64_of_utf8_without_controls) {
  App app = app_with_passwords();
  Client client(app);
  const std::string good = base::to_base64("anna:sesame:open");
  EXPECT_EQ(get_status(client, "Basic " + good), "anna by Basic");
  for (const std::string& coded :
       {good + "=", good.substr(0, good.size() - 1), good + "====", good + " " + good, "!" + good.substr(1),
        good + "\t" + good, std::string("===="), std::string("YTpi=YTpi")}) {
    EXPECT_EQ(get_status(client, "Basic " + coded), "401") << coded;
  }
  for (const std::string& text :
       {std::string("anna:sesame:open\0", 17), std::string("anna\0:sesame:open", 17), std::string("anna:sesame:open\n"),
        std::string("b\xFCrger:geheim"), std::string("anna:\xC3"), std::string("anna:\xED\xA0\x80"),
        std::string("an\x7Fna:sesame:open")}) {
    const TestResponse response = get_with(client, basic(text), "authorization");
    EXPECT_EQ(response.status, 401) << text;
    EXPECT_THAT(response.body, HasSubstr("malformed")) << "no user is looked for: " << text;
  }
}

TEST(BasicAuthentication, of_a_megabyte_is_refused) {
  // Beyond the limits of a server, so in an exchange of its own.
  App app = app_with_passwords();
  const Client client(app);
  for (const std::string& text : {"anna:" + std::string(1024 * 1024, 'a'), std::string(1024 * 1024, ':'),
                                  std::string(1024 * 1024, 'a') + ":sesame:open"}) {
    MemoryExchange exchange(Method::Get, "/who", {{"authorization", basic(text)}});
    EXPECT_EQ(app.service().serve(exchange).response().status(), Status::Unauthorized);
  }
  MemoryExchange exchange(Method::Get, "/who", {{"authorization", "Bearer " + std::string(1024 * 1024, 'a')}});
  EXPECT_EQ(app.service().serve(exchange).response().status(), Status::Unauthorized);
}

TEST(BasicAuthentication, needs_the_state_passwords_at_the_start) {
  App app;
  app.use(Authentication<Member>().basic([](std::string_view) { return std::optional<PasswordOf<Member>>(); }));
  EXPECT_THAT(auth_setup_error(app),
              HasSubstr("middleware takes tern::State<tern::Passwords>, but no such state was given"));
}

// --- JWT
// --------------------------------------------------------------------------------------------------------------

struct TokenClaims {
  std::string sub;
  std::string scope;
};

TEST(JwtAuthentication, is_a_bearer_token_with_reasons) {
  const JwtKey key = JwtKey::hmac(JwtAlgorithm::HS256, std::string(32, 'k'));
  const JwtVerifier verifier(key, {.issuer = "https://id.example", .audience = {"shop"}});
  App app = app_with(Authentication<Member>().jwt<TokenClaims>(verifier, [](const TokenClaims& claims) {
    return claims.sub == "left" ? std::nullopt : std::optional(Member{claims.sub, {}, claims.scope});
  }));
  Client client(app);
  const JwtSigner signer(key, {.issuer = "https://id.example", .audience = "shop"});
  EXPECT_EQ(get_status(client, "Bearer " + signer.sign(TokenClaims{"anna", "a"})), "anna by Bearer");
  EXPECT_EQ(get_status(client, "Bearer " + signer.sign(TokenClaims{"left", "a"})), "401");
  const auto expired = get_with(client, "Bearer " + signer.sign(TokenClaims{"anna", "a"}, 1'000'000'000));
  EXPECT_EQ(expired.status, 401);
  EXPECT_THAT(challenges_of(expired)[0],
              HasSubstr("error=\"invalid_token\", error_description=\"the token has expired\""));
  EXPECT_THAT(expired.body, Not(HasSubstr("anna")));
}

TEST(JwtAuthentication, may_have_the_user_as_its_claims) {
  struct Claimed {
    std::string sub;
  };
  const JwtKey key = JwtKey::hmac(JwtAlgorithm::HS256, std::string(32, 'k'));
  App app;
  app.use(Authentication<Claimed>().jwt(JwtVerifier(key, {.any_issuer = true, .any_audience = true})));
  app.get("/who", [](Identity<Claimed> user) { return user->sub; });
  Client client(app);
  EXPECT_EQ(get_status(client, "Bearer " + JwtSigner(key, {}).sign(Claimed{"anna"})), "anna");
}

// --- Authorization
// ----------------------------------------------------------------------------------------------------

TEST(Authorization, by_role_scope_and_predicate) {
  App app = app_with(Authentication<Member>().bearer(&member_of_token));
  app.get("/admin", [] { return "admin"; }).use(require_role("admin"));
  app.get("/either", [] { return "either"; }).use(require_role({"owner", "admin"}));
  app.get("/read", [] { return "read"; }).use(require_scope("books:read"));
  app.get("/both", [] { return "both"; }).use(require_scope({"books:read", "books:write"}));
  app.get("/bert", [] { return "bert"; }).use(require<Member>([](const Member& member) {
    return member.name == "bert";
  }));
  app.get("/own/{name}", [] { return "own"; }).use(require<Member>([](const Member& member, const Request& request) {
    return request.parameter("name") == member.name;
  }));
  Client client(app);
  const auto status_of = [&client](std::string_view token, std::string_view path) {
    return get_with(client, "Bearer " + std::string(token) + "-token", "authorization", path).status;
  };
  for (const auto& [path, of_anna, of_bert] :
       {std::tuple("/admin", 200, 403), std::tuple("/either", 200, 403), std::tuple("/read", 200, 200),
        std::tuple("/both", 200, 403), std::tuple("/bert", 403, 200), std::tuple("/own/anna", 200, 403),
        std::tuple("/own/bert", 403, 200)}) {
    EXPECT_EQ(status_of("anna", path), of_anna) << path;
    EXPECT_EQ(status_of("bert", path), of_bert) << path;
    EXPECT_EQ(status_of("none", path), 401) << path;
    EXPECT_EQ(client.get(path).status, 401) << path;
  }
  const auto refused = get_with(client, "Bearer bert-token", "authorization", "/both");
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
  EXPECT_THAT(challenges_of(refused),
              ElementsAre("Bearer error=\"insufficient_scope\", scope=\"books:read books:write\""));
}

TEST(Authorization, that_can_never_be_given_fails_at_the_start) {
  struct Plain {
    int number = 0;
  };
  App roles;
  roles.use(Authentication<Plain>().bearer([](std::string_view) { return std::optional<Plain>(); }));
  roles.get("/a", [] { return ""; }).use(require_role("admin"));
  EXPECT_THAT(auth_setup_error(roles), HasSubstr("middleware of GET '/a' needs a role, but"));
  App scopes;
  scopes.use(Authentication<Plain>().bearer([](std::string_view) { return std::optional<Plain>(); }));
  scopes.get("/a", [] { return ""; }).use(require_scope("admin"));
  EXPECT_THAT(auth_setup_error(scopes), HasSubstr("needs a scope, but"));
  App alone;
  alone.get("/a", [] { return ""; }).use(require_role("admin"));
  EXPECT_THAT(auth_setup_error(alone), HasSubstr("add an authenticator"));
}

TEST(Authentication, with_a_realm_or_field_that_cannot_be_sent_is_a_setup_error) {
  EXPECT_THROW(Authentication<Member>().realm("a\"b"), SetupError);
  EXPECT_THROW(Authentication<Member>().realm("a\r\nb: c"), SetupError);
  const auto none = [](std::string_view) { return std::optional<ApiKeyOf<Member>>(); };
  EXPECT_THROW(Authentication<Member>().api_key(none, "a b"), SetupError);
  EXPECT_THROW(require_scope("a\"b"), SetupError);
  EXPECT_THROW(require_role(""), SetupError);
}

// --- The document
// -----------------------------------------------------------------------------------------------------

TEST(AuthenticationDocument, has_the_schemes_as_alternatives_and_the_refusals) {
  App app;
  app.openapi({});
  app.use(Authentication<Member>()
              .bearer(&member_of_token)
              .api_key([](std::string_view) { return std::optional<ApiKeyOf<Member>>(); })
              .optional());
  app.get("/open", [] { return "open"; });
  app.get("/who", &who);
  app.get("/admin", [] { return "admin"; }).use(require_role("admin")).use(RateLimit({}));
  Client client(app);
  client.check_contract();
  const std::string document = app.openapi_document();
  std::string text = document;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_THAT(text, HasSubstr(R"("securitySchemes":{"bearer":{"type":"http","scheme":"bearer"},)"
                              R"("apiKey":{"type":"apiKey","in":"header","name":"X-API-Key"}})"));
  EXPECT_THAT(text, HasSubstr(R"("operationId":"get_open","security":[{"bearer":[]},{"apiKey":[]},{}])"));
  EXPECT_THAT(text, HasSubstr(R"("operationId":"get_who","security":[{"bearer":[]},{"apiKey":[]}])"));
  EXPECT_THAT(text, HasSubstr(R"("security":[{"bearer":["admin"]},{"apiKey":["admin"]}])"));
  EXPECT_EQ(client.get("/who").status, 401);
  EXPECT_EQ(client.get("/admin").status, 401);
  EXPECT_EQ(get_with(client, "Bearer bert-token", "authorization", "/admin").status, 403);
  client.as(Member{"anna", {"admin"}});
  EXPECT_EQ(client.get("/admin").status, 200);
}

}  // namespace
}  // namespace tern::web
