// tern::cache(): what is stored, and for whom.
#include "web/cache_testing.hpp"
#include "web/coding_testing.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace tern::web {
namespace {

using testing::Client;
using testing::TestResponse;

using Cached = CachedRoute;

TEST_F(Cached, a_response_is_made_once_and_tells_its_age) {
  handler = [](Request&) { return Response::text("page").set("x-field", "value"); };
  const TestResponse first = get();
  EXPECT_FALSE(first.has("age"));
  advance(3500);
  const TestResponse second = get();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.body, "page");
  EXPECT_EQ(second.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(second.field("x-field"), "value");
  EXPECT_EQ(second.field("etag"), first.field("etag"));
  EXPECT_EQ(second.field("age"), "3");
  EXPECT_EQ(cache.counts().hits, 1U);
  EXPECT_EQ(cache.counts().misses, 1U);
}

TEST_F(Cached, a_response_is_made_again_after_its_time) {
  EXPECT_EQ(get().body, "1");
  advance(9900);
  EXPECT_EQ(get().body, "1");
  advance(200);
  EXPECT_EQ(get().body, "2");
  EXPECT_EQ(get().body, "2");
}

TEST_F(Cached, path_query_host_scheme_and_listener_make_a_key) {
  for (const char* target : {"/a", "/b", "/a?x=1", "/a?x=2", "/a?", "/A"}) get(target);
  EXPECT_EQ(calls, 5);  // an empty query is none
  get("/a", {{"host", "other.example"}});
  EXPECT_EQ(calls, 6);
  get("/a", {{"host", "OTHER.example"}});
  EXPECT_EQ(calls, 6);
}

TEST_F(Cached, head_is_served_from_get_and_stores_nothing) {
  EXPECT_EQ(get("/", {}, Method::Head).status, 200);
  EXPECT_EQ(get("/", {}, Method::Head).status, 200);
  EXPECT_EQ(calls, 2);
  const TestResponse whole = get();
  EXPECT_EQ(calls, 3);
  const TestResponse head = get("/", {}, Method::Head);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.field("content-length"), std::to_string(whole.body.size()));
  EXPECT_EQ(head.field("etag"), whole.field("etag"));
}

TEST_F(Cached, other_methods_pass) {
  App posting;
  int posts = 0;
  posting.use(tern::cache());
  posting.post("/", [&posts] { return std::to_string(++posts); });
  Client client(posting);
  EXPECT_EQ(client.post("/", "x").body, "1");
  EXPECT_EQ(client.post("/", "x").body, "2");
}

TEST_F(Cached, conditions_are_evaluated_on_hits_and_misses_and_hidden_from_the_handler) {
  handler = [](Request& request) {
    EXPECT_FALSE(request.field("if-none-match"));
    return Response::text("page").set("cache-control", "max-age=60");
  };
  const std::string tag(get().field("etag"));
  cache.clear();
  for (int i = 0; i < 2; ++i) {
    const TestResponse response = get("/", {{"if-none-match", "\"x\", W/" + tag}});
    EXPECT_EQ(response.status, 304);
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(response.field("etag"), tag);
    EXPECT_EQ(response.field("cache-control"), "max-age=60");
    EXPECT_FALSE(response.has("content-type"));
  }
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(get().body, "page");
  EXPECT_EQ(get("/", {{"if-match", "\"x\""}}).status, 412);
  EXPECT_EQ(get("/", {{"if-none-match", "*"}}).status, 304);
  EXPECT_EQ(calls, 2);
}

TEST_F(Cached, a_date_is_a_validator_too) {
  handler = [](Request&) { return Response::text("page").set("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"); };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(get("/", {{"if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"}}).status, 304);
    EXPECT_EQ(get("/", {{"if-modified-since", "Sun, 06 Nov 1994 08:49:36 GMT"}}).status, 200);
  }
  EXPECT_EQ(calls, 1);
}

TEST_F(Cached, what_must_not_be_stored_is_not) {
  const std::vector<std::pair<std::string, std::string>> forbidding = {{"set-cookie", "a=b"},
                                                                       {"cache-control", "no-store"},
                                                                       {"cache-control", "private"},
                                                                       {"cache-control", "No-Cache"},
                                                                       {"cache-control", "max-age=0"},
                                                                       {"cache-control", "public, private=\"a, b\""},
                                                                       {"cache-control", "max-age=x"},
                                                                       {"vary", "Origin, *"},
                                                                       {"expires", "0"},
                                                                       {"expires", "Sun, 06 Nov 1994 08:49:37 GMT"},
                                                                       {"cache-control", "s-maxage=0, max-age=60"}};
  for (const auto& [name, value] : forbidding) {
    handler = [&](Request&) { return Response::text("x").add(name, value); };
    EXPECT_FALSE(is_stored()) << name << ": " << value;
    cache.clear();
  }
  for (const char* value : {"public", "max-age=60", "max-age=1, x=\"no-store\"", "s-maxage=5, max-age=0", "foo, ,"}) {
    handler = [&](Request&) { return Response::text("x").set("cache-control", value); };
    EXPECT_TRUE(is_stored()) << value;
    cache.clear();
  }
}

// Its nonce would be sent again: known to an attacker by then, or another than that of the policy outside of the cache.
TEST_F(Cached, a_page_with_a_nonce_is_not_stored) {
  app.use(SecurityHeaders({.policy = ContentSecurityPolicy().allow("script-src", {"'nonce'"})}));
  handler = [](Request& request) { return Response::html("<script nonce=" + std::string(csp_nonce(request)) + ">"); };
  EXPECT_FALSE(is_stored());
  EXPECT_NE(get("/").body, get("/").body);
  cache.clear();
  handler = [](Request&) { return Response::html("<p>no script</p>"); };
  EXPECT_TRUE(is_stored());
}

TEST_F(Cached, a_policy_with_a_nonce_inside_of_the_cache_is_not_stored) {
  app.get("/inner", [this] { return ++calls; })
      .use(Cache(options))
      .use(SecurityHeaders({.policy = ContentSecurityPolicy().allow("script-src", {"'nonce'"})}));
  EXPECT_NE(get("/inner").field("content-security-policy"), get("/inner").field("content-security-policy"));
  EXPECT_EQ(calls, 2);
}

TEST_F(Cached, statuses_are_stored_by_a_list) {
  for (const Status status : {Status::NoContent, Status::MovedPermanently, Status::PermanentRedirect, Status::NotFound,
                              Status::Gone, Status::NonAuthoritativeInformation}) {
    handler = [status](Request&) { return Response(status); };
    EXPECT_TRUE(is_stored()) << code(status);
    EXPECT_EQ(get().status, code(status));
    cache.clear();
  }
  for (const Status status : {Status::Found, Status::Forbidden, Status::InternalServerError, Status::ServiceUnavailable,
                              Status::PartialContent, Status::Created}) {
    handler = [status](Request&) { return Response(status); };
    EXPECT_FALSE(is_stored()) << code(status);
    cache.clear();
  }
}

TEST_F(Cached, streams_large_contents_and_ranges_are_not_stored) {
  handler = [](Request&) {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> { co_await writer.write("piece"); });
  };
  EXPECT_FALSE(is_stored());
  EXPECT_EQ(get().body, "piece");
  cache.clear();
  handler = [this](Request&) { return Response::text(std::string(options.max_content_bytes + 1, 'x')); };
  EXPECT_FALSE(is_stored());
  cache.clear();
  handler = [](Request&) { return Response::text("x"); };
  EXPECT_FALSE(is_stored({{"range", "bytes=0-0"}}));
}

TEST_F(Cached, an_exception_is_not_stored) {
  handler = [this](Request&) -> Response {
    if (calls < 3) throw std::runtime_error("it fails");
    return Response::text("page");
  };
  EXPECT_EQ(get().status, 500);
  EXPECT_EQ(get().status, 500);
  EXPECT_EQ(get().body, "page");
  EXPECT_EQ(get().body, "page");
  EXPECT_EQ(calls, 3);
}

TEST_F(Cached, credentials_need_a_public_response) {
  for (const auto& field : FieldPairs{{"authorization", "Basic YTpi"}, {"cookie", "session=1"}}) {
    handler = [this](Request&) { return Response::text(std::to_string(calls)); };
    EXPECT_FALSE(is_stored({field}));
    EXPECT_TRUE(is_stored());          // without them
    EXPECT_FALSE(is_stored({field}));  // they do not get what others have stored
    const std::string anonymous = get().body;
    const std::string own = get("/", {field}).body;
    EXPECT_NE(own, anonymous);
    EXPECT_EQ(get().body, anonymous);  // nor store theirs
    cache.clear();
    handler = [](Request&) { return Response::text("x").set("cache-control", "public"); };
    EXPECT_TRUE(is_stored({field}));
    cache.clear();
  }
}

TEST_F(Cached, credentials_can_be_declared_to_be_irrelevant) {
  options.ignore_credentials = true;
  EXPECT_TRUE(is_stored({{"cookie", "analytics=1"}}));
}

TEST_F(Cached, a_cookie_in_vary_is_part_of_the_key) {
  options.vary = {"Cookie"};
  EXPECT_TRUE(is_stored({{"cookie", "a=1"}}));
  EXPECT_TRUE(is_stored({{"cookie", "a=2"}}));
  EXPECT_EQ(get("/", {{"cookie", "a=1"}}).field("vary"), "Cookie");
  EXPECT_EQ(calls, 2);
}

TEST_F(Cached, vary_of_the_options_and_of_the_response_select) {
  options.vary = {"Accept-Language"};
  handler = [this](Request&) { return Response::text(std::to_string(calls)).set("vary", "Origin"); };
  const auto ask = [this](const char* language, const char* origin) {
    return get("/", {{"accept-language", language}, {"origin", origin}});
  };
  const TestResponse first = ask("de", "a");
  EXPECT_EQ(first.field("vary"), "Origin, Accept-Language");
  EXPECT_EQ(ask("en", "a").body, "2");
  EXPECT_EQ(ask("de", "b").body, "3");
  EXPECT_EQ(ask("de", "a").body, "1");
  EXPECT_EQ(ask("en", "a").body, "2");
  EXPECT_EQ(ask("de", "b").body, "3");
  EXPECT_EQ(get("/", {{"accept-language", "de"}}).body, "4");  // a missing field is another value
  EXPECT_EQ(calls, 4);
}

TEST_F(Cached, a_response_that_varies_by_more_later_is_still_selected_rightly) {
  handler = [this](Request& request) {
    const bool more = request.field("x-b").has_value();
    return Response::text(std::to_string(calls)).set("vary", more ? "x-a, x-b" : "x-a");
  };
  EXPECT_EQ(get("/", {{"x-a", "1"}}).body, "1");
  EXPECT_EQ(get("/", {{"x-a", "1"}}).body, "1");
  EXPECT_EQ(get("/", {{"x-a", "2"}, {"x-b", "1"}}).body, "2");
  EXPECT_EQ(get("/", {{"x-a", "2"}, {"x-b", "2"}}).body, "3");
  EXPECT_EQ(get("/", {{"x-a", "2"}, {"x-b", "1"}}).body, "2");
  const int before = calls;
  const std::string again = get("/", {{"x-a", "1"}}).body;
  EXPECT_LE(calls, before + 1);
  EXPECT_EQ(get("/", {{"x-a", "1"}}).body, again);
}

TEST_F(Cached, accept_encoding_counts_by_what_it_accepts) {
  options.vary = {"accept-encoding"};
  for (const char* text : {"gzip, br", "br,gzip", "br;q=0.5, gzip;q=0.9", "GZIP, deflate, br"}) {
    EXPECT_EQ(get("/", {{"accept-encoding", text}}).body, "1") << text;
  }
  EXPECT_EQ(get("/", {{"accept-encoding", "gzip"}}).body, "2");
  EXPECT_EQ(get("/", {{"accept-encoding", "identity"}}).body, "3");
  EXPECT_EQ(get().body, "3");
  EXPECT_EQ(get("/", {{"accept-encoding", "gzip, identity;q=0"}}).body, "4");
}

// "gzip" and "gzip, deflate" have one key.
TEST_F(Cached, a_coding_that_is_no_part_of_the_key_is_not_stored) {
  handler = [](Request& request) {
    Response response = Response::text("page").set("vary", "accept-encoding");
    if (request.field("accept-encoding").value_or("").ends_with("deflate")) response.set("content-encoding", "deflate");
    return response;
  };
  EXPECT_TRUE(get("/", {{"accept-encoding", "gzip, deflate"}}).has("content-encoding"));
  EXPECT_FALSE(get("/", {{"accept-encoding", "gzip"}}).has("content-encoding"));
}

TEST_F(Cached, a_host_beside_that_of_the_target_poisons_nothing) {
  handler = [](Request& request) { return Response::text(std::string(request.field("host").value_or("none"))); };
  EXPECT_EQ(get("http://site.example/", {{"host", "evil.example"}}).body, "evil.example");
  EXPECT_EQ(get("http://site.example/", {{"host", "site.example"}}).body, "site.example");
  EXPECT_EQ(get("http://site.example/", {{"host", "evil.example"}}).body, "evil.example");
  EXPECT_EQ(get("/", {{"host", "site.example"}}).body, "site.example");
  EXPECT_EQ(calls, 3);
}

TEST_F(Cached, compressed_contents_are_stored_per_coding) {
  const std::string content = compressible_text(5000);
  App outer;
  int called = 0;
  const Cache compressed = tern::cache({.ttl = Seconds(10)});
  outer.use(compressed).use(Compress());
  outer.get("/", [&] {
    ++called;
    return content;
  });
  Client client(outer);
  for (int i = 0; i < 2; ++i) {
    for (const std::string coding : {"gzip", "br", "zstd", "identity"}) {
      const TestResponse response = client.send({Method::Get, "/", {{"accept-encoding", coding}}});
      EXPECT_EQ(coding == "identity" ? response.body : decoded(coding, response.body), content);
      const std::string tag(response.field("etag"));
      EXPECT_EQ(client.send({Method::Get, "/", {{"accept-encoding", coding}, {"if-none-match", tag}}}).status, 304);
    }
  }
  EXPECT_EQ(called, 4);
}

TEST_F(Cached, compression_around_the_cache_works_too) {
  const std::string content = compressible_text(5000);
  App outer;
  int called = 0;
  outer.use(Compress()).use(tern::cache({.ttl = Seconds(10)}));
  outer.get("/", [&] {
    ++called;
    return content;
  });
  Client client(outer);
  for (const std::string coding : {"gzip", "br", "gzip"}) {
    const TestResponse response = client.send({Method::Get, "/", {{"accept-encoding", coding}}});
    EXPECT_EQ(decoded(coding, response.body), content);
    const std::string tag(response.field("etag"));
    EXPECT_EQ(client.send({Method::Get, "/", {{"accept-encoding", coding}, {"if-none-match", tag}}}).status, 304);
  }
  EXPECT_EQ(called, 1);
}

TEST_F(Cached, memory_is_bounded_whatever_clients_ask_for) {
  options.max_bytes = 100'000;
  handler = [](Request&) { return Response::text(std::string(1000, 'x')).set("vary", "x-any"); };
  for (int i = 0; i < 1000; ++i) get("/?" + std::to_string(i), {{"x-any", std::to_string(i)}});
  for (int i = 0; i < 1000; ++i) get("/", {{"x-any", std::to_string(i)}});
  EXPECT_LE(cache.counts().bytes, 100'000U);
  EXPECT_GT(cache.counts().responses, 20U);
  EXPECT_TRUE(is_stored());
}

TEST_F(Cached, keys_that_are_too_long_are_not_stored) {
  const std::string longest(9000, 'a');
  handler = [](Request&) { return Response::text("x").set("vary", "x-any"); };
  EXPECT_FALSE(is_stored({{"x-any", longest}}));
}

TEST_F(Cached, a_response_that_varies_by_too_much_is_not_stored) {
  handler = [](Request&) {
    std::string names = "a0";
    for (int i = 1; i < 30; ++i) names += ", a" + std::to_string(i);
    return Response::text("x").set("vary", names);
  };
  EXPECT_FALSE(is_stored());
}

TEST_F(Cached, groups_and_routes_have_caches_of_their_own) {
  App several;
  int called = 0;
  const auto count = [&called] { return std::to_string(++called); };
  several.get("/plain", count);
  several.get("/route", count).use(tern::cache());
  Group group = several.group("/group");
  group.use(tern::cache());
  group.get("/a", count);
  Client client(several);
  for (const char* path : {"/plain", "/route", "/group/a"}) {
    client.get(path);
    client.get(path);
  }
  EXPECT_EQ(called, 4);
}

TEST_F(Cached, coroutines_and_work_after_the_response_are_as_without) {
  App later;
  int called = 0;
  int after = 0;
  later.use(tern::cache({.ttl = Seconds(100)}));
  later.get("/", [&]() -> Task<Response> {
    ++called;
    co_await sleep_for(Milliseconds(5));
    co_return Response::text("x").after([&after] { ++after; });
  });
  Client client(later);
  EXPECT_EQ(client.get("/").body, "x");
  EXPECT_EQ(client.get("/").body, "x");
  EXPECT_EQ(called, 1);
  EXPECT_EQ(after, 1);
}

TEST(CacheOptionsOf, contradictions_are_named) {
  EXPECT_THROW(Cache({.ttl = Seconds(0)}), std::invalid_argument);
  EXPECT_THROW(Cache({.vary = {"a b"}}), std::invalid_argument);
  EXPECT_THROW(Cache({.max_wait = Seconds(-1)}), std::invalid_argument);
  try {
    Cache({.vary = {"a b"}});
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'a b' in vary"));
  }
}

}  // namespace
}  // namespace tern::web
