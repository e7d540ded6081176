// tern::ETag: tags of dynamic contents, and conditional requests.
#include "web/coding_testing.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <string>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using testing::TestRequest;
using testing::TestResponse;

class Tagged : public ::testing::Test {
protected:
  template <class F>
  TestResponse get(F handler, std::vector<std::pair<std::string, std::string>> fields = {},
                   Method method = Method::Get) {
    App app;
    app.use(ETag(options));
    app.get("/", handler);
    app.post("/", [] { return "posted"; });
    Client client(app);
    return client.send({method, "/", std::move(fields)});
  }

  ETagOptions options;
};

std::string short_page() {
  return "a page";
}

TEST_F(Tagged, contents_have_a_strong_tag_that_depends_on_them_only) {
  const TestResponse response = get(short_page);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "a page");
  EXPECT_THAT(std::string(response.field("etag")), MatchesRegex("\"[0-9a-f]{32}\""));
  EXPECT_EQ(get(short_page).field("etag"), response.field("etag"));
  EXPECT_NE(get([] { return "another page"; }).field("etag"), response.field("etag"));
  EXPECT_EQ(get(short_page, {}, Method::Head).field("etag"), response.field("etag"));
}

TEST_F(Tagged, weak_ones_are_marked) {
  options.weak = true;
  EXPECT_THAT(std::string(get(short_page).field("etag")), StartsWith("W/\""));
}

TEST_F(Tagged, if_none_match_compares_weakly_and_takes_lists) {
  const std::string tag(get(short_page).field("etag"));
  for (const std::string& value : {tag, "W/" + tag, "\"other\", " + tag, "\"a,b\" , W/" + tag, std::string("*")}) {
    for (const Method method : {Method::Get, Method::Head}) {
      const TestResponse response = get(short_page, {{"if-none-match", value}}, method);
      EXPECT_EQ(response.status, 304) << value;
      EXPECT_EQ(response.body, "");
      EXPECT_EQ(response.field("etag"), tag);
      EXPECT_FALSE(response.has("content-type"));
    }
  }
  for (const char* value : {"\"other\"", "garbage", "", "\"", "W/"}) {
    EXPECT_EQ(get(short_page, {{"if-none-match", value}}).status, 200) << value;
  }
}

TEST_F(Tagged, several_fields_of_tags_are_one_list) {
  const std::string tag(get(short_page).field("etag"));
  EXPECT_EQ(get(short_page, {{"if-none-match", "\"x\""}, {"if-none-match", tag}}).status, 304);
}

TEST_F(Tagged, a_304_has_the_fields_for_caches) {
  const auto handler = [] {
    return Response::text("x").set("cache-control", "max-age=5").set("vary", "Origin").set("content-language", "en");
  };
  const std::string tag(get(handler).field("etag"));
  const TestResponse response = get(handler, {{"if-none-match", tag}});
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.field("cache-control"), "max-age=5");
  EXPECT_EQ(response.field("vary"), "Origin");
  EXPECT_FALSE(response.has("content-language"));
}

TEST_F(Tagged, if_match_compares_strongly) {
  const std::string tag(get(short_page).field("etag"));
  EXPECT_EQ(get(short_page, {{"if-match", tag}}).status, 200);
  EXPECT_EQ(get(short_page, {{"if-match", "W/" + tag}}).status, 412);
  EXPECT_EQ(get(short_page, {{"if-match", "\"other\""}}).status, 412);
}

TEST_F(Tagged, a_tag_of_the_handler_stays_and_counts) {
  const auto handler = [] { return Response::text("x").set("etag", "\"v7\""); };
  EXPECT_EQ(get(handler).field("etag"), "\"v7\"");
  EXPECT_EQ(get(handler, {{"if-none-match", "\"v7\""}}).status, 304);
}

TEST_F(Tagged, errors_streams_and_other_methods_stay_as_they_are) {
  EXPECT_FALSE(get([] { return Response::text("x").status(Status::NotFound); }, {{"if-none-match", "*"}}).has("etag"));
  EXPECT_EQ(get([]() -> std::string { throw std::runtime_error("it fails"); }, {{"if-none-match", "*"}}).status, 500);
  const auto stream = [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> { co_await writer.write("piece"); });
  };
  const TestResponse streamed = get(stream, {{"if-none-match", "*"}});
  EXPECT_EQ(streamed.status, 200);
  EXPECT_EQ(streamed.body, "piece");
  EXPECT_FALSE(streamed.has("etag"));
  EXPECT_FALSE(get(short_page, {}, Method::Post).has("etag"));
}

TEST_F(Tagged, a_handler_for_head_without_content_gets_no_tag_of_nothing) {
  App app;
  app.use(ETag());
  app.get("/", short_page);
  app.head("/", [] { return Response(); });
  Client client(app);
  EXPECT_FALSE(client.head("/").has("etag"));
}

TEST_F(Tagged, large_contents_and_coroutines_are_tagged) {
  const auto large = [](Request& request) -> Task<Response> {
    co_await sleep_for(Milliseconds(1));
    co_return Response::borrowed("text/plain", request.arena().copy(std::string(1'000'000, 'x')));
  };
  const TestResponse response = get(large);
  EXPECT_EQ(response.body.size(), 1'000'000U);
  EXPECT_EQ(response.field("content-type"), "text/plain");
  EXPECT_EQ(get(large, {{"if-none-match", std::string(response.field("etag"))}}).status, 304);
}

// In either order, a client that has a compressed content gets a 304 for the tag that it got.
TEST_F(Tagged, with_compression_in_either_order) {
  const std::string content = compressible_text(5000);
  for (const bool tag_is_outer : {false, true}) {
    App app;
    if (tag_is_outer) app.use(ETag());
    app.use(Compress());
    if (!tag_is_outer) app.use(ETag());
    app.get("/", [&content] { return content; });
    Client client(app);
    const auto ask = [&client](const std::string& coding, const std::string& tag) {
      return client.send({Method::Get, "/", {{"accept-encoding", coding}, {"if-none-match", tag}}});
    };
    const TestResponse plain = ask("identity", "");
    for (const char* coding : {"gzip", "br", "zstd"}) {
      const TestResponse coded = ask(coding, "");
      EXPECT_EQ(coded.field("content-encoding"), coding);
      EXPECT_EQ(decoded(coding, coded.body), content);
      EXPECT_NE(coded.field("etag"), plain.field("etag"));
      EXPECT_EQ(coded.field("etag").starts_with("W/"), !tag_is_outer);
      const TestResponse again = ask(coding, std::string(coded.field("etag")));
      EXPECT_EQ(again.status, 304) << coding << tag_is_outer;
      EXPECT_EQ(again.field("etag"), coded.field("etag"));
      EXPECT_EQ(again.field("vary"), "accept-encoding");
    }
  }
}

}  // namespace
}  // namespace tern::web
