// tern::cache(): how long responses are fresh or stale, and how they are refreshed and cleared.
#include "web/cache_testing.hpp"

#include <stdexcept>
#include <string>

namespace tern::web {
namespace {

using testing::TestResponse;
using CachedInTime = CachedRoute;

TEST_F(CachedInTime, directives_of_the_response_shorten_the_time) {
  handler = [this](Request&) {
    return Response::text(std::to_string(calls)).set("cache-control", "max-age=100, s-maxage=2");
  };
  EXPECT_EQ(get().body, "1");
  advance(1900);
  EXPECT_EQ(get().body, "1");
  advance(200);
  EXPECT_EQ(get().body, "2");
  handler = [this](Request&) { return Response::text(std::to_string(calls)).set("cache-control", "max-age=100"); };
  advance(2100);
  EXPECT_EQ(get().body, "3");
  advance(9900);
  EXPECT_EQ(get().body, "3");
  advance(200);
  EXPECT_EQ(get().body, "4");  // ttl is the limit
}

TEST_F(CachedInTime, a_response_that_was_in_another_cache_keeps_its_age) {
  handler = [this](Request&) {
    return Response::text(std::to_string(calls)).set("cache-control", "max-age=10").set("age", "7");
  };
  EXPECT_EQ(get().field("age"), "7");
  advance(2000);
  EXPECT_EQ(get().field("age"), "9");
  advance(1100);
  EXPECT_EQ(get().body, "2");
}

TEST_F(CachedInTime, a_reload_makes_the_response_anew_for_all) {
  EXPECT_EQ(get().body, "1");
  advance(1000);
  EXPECT_EQ(get("/", {{"cache-control", "no-cache"}}).body, "2");
  EXPECT_EQ(get().body, "2");
  advance(1000);
  EXPECT_EQ(get("/", {{"pragma", "no-cache"}}).body, "3");
  advance(1500);
  EXPECT_EQ(get("/", {{"cache-control", "max-age=5"}}).body, "3");
  EXPECT_EQ(get("/", {{"cache-control", "max-age=1"}}).body, "4");
  advance(1000);
  EXPECT_EQ(get("/", {{"cache-control", "min-fresh=9"}}).body, "4");
  EXPECT_EQ(get("/", {{"cache-control", "min-fresh=10"}}).body, "5");
}

TEST_F(CachedInTime, reloads_can_be_ignored) {
  options.ignore_reload = true;
  EXPECT_EQ(get().body, "1");
  advance(1000);
  EXPECT_EQ(get("/", {{"cache-control", "no-cache, max-age=0"}}).body, "1");
}

TEST_F(CachedInTime, no_store_and_only_if_cached_of_requests_are_obeyed) {
  EXPECT_EQ(get("/", {{"cache-control", "only-if-cached"}}).status, 504);
  EXPECT_EQ(get("/", {{"cache-control", "no-store"}}).body, "1");
  EXPECT_EQ(get().body, "2");
  EXPECT_EQ(get("/", {{"cache-control", "only-if-cached"}}).body, "2");
  EXPECT_EQ(get("/", {{"cache-control", "no-store"}}).body, "2");
}

TEST_F(CachedInTime, a_stale_response_is_served_and_refreshed_in_the_background) {
  options.stale_while_revalidate = Seconds(5);
  handler = [this](Request& request) {
    EXPECT_EQ(request.field("x-kept"), "yes");
    EXPECT_FALSE(request.field("if-none-match"));
    EXPECT_EQ(request.host(), "a.example");
    return Response::text(std::to_string(calls));
  };
  const FieldPairs fields = {{"host", "a.example"}, {"x-kept", "yes"}};
  EXPECT_EQ(get("/a?b=c", fields).body, "1");
  advance(11'000);
  const TestResponse stale = get("/a?b=c", fields);
  EXPECT_EQ(stale.body, "1");
  EXPECT_EQ(stale.field("age"), "11");
  advance(1);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(get("/a?b=c", fields).body, "2");
  advance(15'100);
  EXPECT_EQ(get("/a?b=c", fields).body, "3");  // too stale
}

TEST_F(CachedInTime, a_refresh_in_a_mounted_app_passes_the_app_around_it) {
  App inner;
  inner.use(tern::cache({.ttl = Seconds(10), .stale_while_revalidate = Seconds(60)}));
  inner.get("/page", [this] { return std::to_string(++calls); });
  App outer;
  outer.mount("/inner", std::move(inner));
  testing::Client mounted(outer);
  EXPECT_EQ(mounted.get("/inner/page").body, "1");
  mounted.advance(Milliseconds(11'000));
  EXPECT_EQ(mounted.get("/inner/page").body, "1");
  mounted.advance(Milliseconds(10));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(mounted.get("/inner/page").body, "2");
}

TEST_F(CachedInTime, a_refresh_that_fails_keeps_the_stale_response_and_does_not_repeat_at_once) {
  options.stale_while_revalidate = Seconds(60);
  handler = [this](Request&) -> Response {
    if (calls == 2) throw std::runtime_error("it fails");
    return Response::text(std::to_string(calls));
  };
  client().print_reports(false);
  EXPECT_EQ(get().body, "1");
  advance(11'000);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(get().body, "1");
    advance(10);
  }
  EXPECT_EQ(calls, 2);
  advance(1000);
  EXPECT_EQ(get().body, "1");
  advance(10);
  EXPECT_EQ(get().body, "3");
}

TEST_F(CachedInTime, a_refresh_runs_the_work_after_its_response) {
  options.stale_while_revalidate = Seconds(60);
  int after = 0;
  handler = [&after](Request&) { return Response::text("x").after([&after] { ++after; }); };
  get();
  advance(11'000);
  get();
  advance(10);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(after, 2);
}

TEST_F(CachedInTime, must_revalidate_forbids_stale_responses) {
  options.stale_while_revalidate = options.stale_if_error = Seconds(60);
  handler = [this](Request&) {
    return Response::text(std::to_string(calls)).set("cache-control", "max-age=5, must-revalidate");
  };
  EXPECT_EQ(get().body, "1");
  advance(6000);
  EXPECT_EQ(get().body, "2");
}

TEST_F(CachedInTime, a_stale_response_replaces_an_error) {
  options.stale_if_error = Seconds(30);
  handler = [this](Request&) -> Response {
    if (calls > 1) return Response(Status::ServiceUnavailable);
    return Response::text("page");
  };
  EXPECT_EQ(get().body, "page");
  advance(11'000);
  EXPECT_EQ(get().body, "page");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(get().body, "page");
  EXPECT_EQ(calls, 2);  // for a moment it is not tried again
  advance(30'000);
  EXPECT_EQ(get().status, 503);
}

TEST_F(CachedInTime, what_is_not_storable_is_served_and_later_stored_when_it_is) {
  handler = [this](Request&) {
    Response response = Response::text(std::to_string(calls));
    if (calls == 1) response.set("set-cookie", "a=b");
    return response;
  };
  EXPECT_EQ(get().body, "1");
  EXPECT_EQ(get().body, "2");
  EXPECT_EQ(get().body, "2");
}

TEST_F(CachedInTime, paths_patterns_and_tags_are_cleared) {
  handler = [this](Request& request) {
    Response response = Response::text(std::to_string(calls));
    if (request.path() == "/books/7") response.set("cache-tag", "books, book-7");
    if (request.path() == "/books") response.set("cache-tag", "books");
    return response;
  };
  const auto fill = [this] {
    for (const char* target : {"/books", "/books?page=2", "/books/7", "/people"}) get(target);
  };
  fill();
  EXPECT_EQ(cache.clear("/books"), 2U);
  fill();
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(cache.clear("/books*"), 3U);
  fill();
  EXPECT_EQ(calls, 9);
  EXPECT_EQ(cache.clear_tag("book-7"), 1U);
  EXPECT_EQ(cache.clear_tag("books"), 2U);
  EXPECT_EQ(cache.clear_tag("unknown"), 0U);
  EXPECT_EQ(cache.counts().responses, 1U);
  cache.clear();
  EXPECT_EQ(cache.counts().responses, 0U);
  EXPECT_EQ(cache.counts().bytes, 0U);
}

TEST_F(CachedInTime, a_response_that_was_made_before_a_clear_is_not_stored) {
  handler = [this](Request&) {
    if (calls == 1) cache.clear();
    return Response::text(std::to_string(calls));
  };
  EXPECT_EQ(get().body, "1");
  EXPECT_EQ(get().body, "2");
  EXPECT_EQ(get().body, "2");
}

TEST_F(CachedInTime, a_stale_response_that_is_cleared_while_its_refresh_fails_is_gone) {
  options.stale_while_revalidate = Seconds(60);
  handler = [this](Request&) -> Response {
    if (calls != 2) return Response::text(std::to_string(calls));
    cache.clear("/");
    throw std::runtime_error("it fails");
  };
  client().print_reports(false);
  EXPECT_EQ(get().body, "1");
  advance(11'000);
  EXPECT_EQ(get().body, "1");
  advance(10);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(get().body, "3");
}

TEST_F(CachedInTime, a_stale_response_that_is_cleared_does_not_replace_an_error) {
  options.stale_if_error = Seconds(60);
  handler = [this](Request&) -> Response {
    if (calls != 2) return Response::text(std::to_string(calls));
    cache.clear();
    return Response(Status::ServiceUnavailable);
  };
  EXPECT_EQ(get().body, "1");
  advance(11'000);
  EXPECT_EQ(get().status, 503);
  EXPECT_EQ(get().body, "3");
}

}  // namespace
}  // namespace tern::web
