// App::files(): what is served, and how.
#include "web/file_testing.hpp"

#include <gmock/gmock.h>

#include <string>

namespace tern::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

using Files = ServedFolderTest;

TEST_F(Files, have_their_content_type_length_and_validators) {
  write("app.js", "let x;", 784'111'777);
  const TestResponse response = get("/app.js");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "let x;");
  EXPECT_EQ(response.field("content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(response.field("content-length"), "6");
  EXPECT_EQ(response.field("last-modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_THAT(std::string(response.field("etag")), ::testing::MatchesRegex("\"6-[0-9a-f]+-[0-9a-f]+\""));
  EXPECT_EQ(response.field("accept-ranges"), "bytes");
  EXPECT_EQ(response.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(response.field("vary"), "Accept-Encoding");
  EXPECT_FALSE(response.has("cache-control"));
}

TEST_F(Files, arrive_whole_at_every_size) {
  for (const std::size_t size : {0U, 1U, 16383U, 16384U, 16385U, 65536U, 65537U, 300'000U}) {
    const std::string content(size, 'x');
    write(std::to_string(size), content);
    const TestResponse response = get("/" + std::to_string(size));
    EXPECT_EQ(response.status, 200);
    EXPECT_TRUE(response.body == content) << size;
    EXPECT_EQ(response.field("content-length"), std::to_string(size));
    EXPECT_EQ(head("/" + std::to_string(size)).field("content-length"), std::to_string(size));
  }
}

TEST_F(Files, of_more_than_4_gigabytes_have_their_length_and_their_ends) {
  write("huge.bin", "");
  const std::uint64_t size = (std::uint64_t{4} << 30) + 1;
  std::filesystem::resize_file(folder / "huge.bin", size);
  EXPECT_EQ(head("/huge.bin").field("content-length"), "4294967297");
  const TestResponse end = get("/huge.bin", {{"range", "bytes=4294967290-"}});
  EXPECT_EQ(end.status, 206);
  EXPECT_EQ(end.body, std::string(7, '\0'));
  EXPECT_EQ(end.field("content-range"), "bytes 4294967290-4294967296/4294967297");
}

TEST_F(Files, head_has_the_fields_of_get_and_no_content) {
  write("a.txt", "text");
  const TestResponse whole = get("/a.txt");
  const TestResponse response = head("/a.txt");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  for (const char* name : {"content-type", "content-length", "etag", "last-modified", "accept-ranges", "vary"}) {
    EXPECT_EQ(response.field(name), whole.field(name)) << name;
  }
}

TEST_F(Files, other_methods_are_refused) {
  write("a.txt", "text");
  const TestResponse response = client().post("/assets/a.txt", "x");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.field("allow"), "GET, HEAD, OPTIONS");
}

TEST_F(Files, a_missing_one_is_a_problem) {
  const TestResponse response = get("/nothing.txt");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.field("content-type"), "application/problem+json");
  EXPECT_EQ(get("/no/folder/a.txt").status, 404);
}

TEST_F(Files, a_time_of_0_or_1_is_no_time) {
  for (const std::int64_t time : {0, 1}) {
    write("a" + std::to_string(time), "text", time);
    const TestResponse response = get("/a" + std::to_string(time));
    EXPECT_FALSE(response.has("last-modified"));
    EXPECT_TRUE(response.has("etag"));
  }
}

TEST_F(Files, a_time_in_the_future_is_not_sent) {
  write("a.txt", "text", 32'503'680'000);
  EXPECT_FALSE(get("/a.txt").has("last-modified"));
  EXPECT_TRUE(get("/a.txt").has("etag"));
}

TEST_F(Files, folders_have_index_files_and_a_slash_at_the_end) {
  write("docs/index.html", "<p>docs");
  write("docs/default.htm", "<p>default");
  write("more/default.htm", "<p>more");
  write("index.html", "<p>home");
  serve({.index = {"index.html", "default.htm"}});
  EXPECT_EQ(get("/").body, "<p>home");
  EXPECT_EQ(get("/docs/").body, "<p>docs");
  EXPECT_EQ(get("/docs/").field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(get("/more/").body, "<p>more");
  const TestResponse redirect = get("/docs?page=2");
  EXPECT_EQ(redirect.status, 308);
  EXPECT_EQ(redirect.field("location"), "./docs/?page=2");
  EXPECT_EQ(get("").status, 308);
  EXPECT_EQ(get("/docs/index.html/").status, 404);
}

TEST_F(Files, a_folder_without_an_index_is_missing) {
  write("images/a.png", "x");
  EXPECT_EQ(get("/images/").status, 404);
  EXPECT_EQ(get("/images").status, 308);
}

TEST_F(Files, may_be_served_at_the_root_beside_routes) {
  write("index.html", "<p>home");
  write("api/books", "a file");
  app.get("/api/books", [] { return "a route"; });
  app.files("/", folder.string());
  Client client(app);
  EXPECT_EQ(client.get("/").body, "<p>home");
  EXPECT_EQ(client.get("/api/books").body, "a route");
  EXPECT_EQ(client.get("//index.html").status, 404);
}

TEST_F(Files, a_single_page_app_is_served_for_paths_without_a_file) {
  write("index.html", "<p>app");
  write("app.js", "let x;");
  serve({.fallback = "index.html"});
  EXPECT_EQ(get("/users/7").body, "<p>app");
  EXPECT_EQ(get("/users/7").status, 200);
  EXPECT_EQ(get("/users/7").field("cache-control"), "no-cache");
  EXPECT_EQ(get("/app.js").body, "let x;");
  EXPECT_EQ(get("/missing.js").status, 404);
}

TEST_F(Files, a_404_may_have_a_page) {
  write("404.html", "<p>nothing here");
  write("index.html", "<p>home");
  serve({.not_found = "404.html"});
  for (const char* path : {"/missing", "/.git/config", "/a%2fb"}) {
    const TestResponse response = get(path);
    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(response.body, "<p>nothing here");
    EXPECT_EQ(response.field("content-type"), "text/html; charset=utf-8");
    EXPECT_FALSE(response.has("accept-ranges"));
  }
  EXPECT_EQ(get("/missing", {{"range", "bytes=0-1"}, {"if-none-match", "*"}}).status, 404);
}

TEST_F(Files, cache_control_is_by_pattern_type_and_name) {
  for (const char* name : {"index.html", "app-3f9a61c2.js", "style.UUO7CW5J.css", "plain.js", "font.woff2",
                           "report-20261123.pdf", "data-Version2.csv", "bundle.a1b2c3d4e5f6.min.js"}) {
    write(name, "x");
  }
  serve({.cache = {{"*.woff2", {.scope = CacheScope::Public, .max_age = Seconds(60)}}}});
  const std::string immutable = "max-age=31536000, immutable";
  EXPECT_EQ(get("/index.html").field("cache-control"), "no-cache");
  EXPECT_EQ(get("/app-3f9a61c2.js").field("cache-control"), immutable);
  EXPECT_EQ(get("/style.UUO7CW5J.css").field("cache-control"), immutable);
  EXPECT_EQ(get("/bundle.a1b2c3d4e5f6.min.js").field("cache-control"), immutable);
  EXPECT_EQ(get("/font.woff2").field("cache-control"), "public, max-age=60");
  for (const char* name : {"/plain.js", "/report-20261123.pdf", "/data-Version2.csv"}) {
    EXPECT_FALSE(get(name).has("cache-control")) << name;
  }
}

TEST_F(Files, types_can_be_added_and_replaced) {
  write("a.glb2", "x");
  write("b.TXT", "x");
  write("c.md", "x");
  write("d", "x");
  serve({.types = {{"glb2", "model/x"}, {"md", "text/plain"}}});
  EXPECT_EQ(get("/a.glb2").field("content-type"), "model/x");
  EXPECT_EQ(get("/b.TXT").field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(get("/c.md").field("content-type"), "text/plain");
  EXPECT_EQ(get("/d").field("content-type"), "application/octet-stream");
}

TEST_F(Files, siblings_are_negotiated) {
  write("a.css", "plain plain plain");
  write("a.css.br", "brotli");
  write("a.css.gz", "gzip...");
  const TestResponse plain = get("/a.css");
  const TestResponse brotli = get("/a.css", {{"accept-encoding", "gzip, br"}});
  const TestResponse gzip = get("/a.css", {{"accept-encoding", "gzip, br;q=0.5"}});
  const TestResponse refused = get("/a.css", {{"accept-encoding", "zstd, identity;q=0"}});
  EXPECT_EQ(plain.body, "plain plain plain");
  EXPECT_FALSE(plain.has("content-encoding"));
  EXPECT_EQ(brotli.body, "brotli");
  EXPECT_EQ(brotli.field("content-encoding"), "br");
  EXPECT_EQ(brotli.field("content-type"), "text/css; charset=utf-8");
  EXPECT_EQ(gzip.body, "gzip...");
  EXPECT_EQ(gzip.field("content-encoding"), "gzip");
  EXPECT_EQ(refused.body, "plain plain plain");
  EXPECT_NE(plain.field("etag"), brotli.field("etag"));
  EXPECT_NE(gzip.field("etag"), brotli.field("etag"));
  EXPECT_THAT(std::string(brotli.field("etag")), EndsWith("-br\""));
  for (const TestResponse& response : {plain, brotli, gzip, refused}) {
    EXPECT_EQ(response.field("vary"), "Accept-Encoding");
    EXPECT_EQ(response.field("last-modified"), plain.field("last-modified"));
  }
  const TestResponse part = get("/a.css", {{"accept-encoding", "br"}, {"range", "bytes=1-2"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "ro");
  EXPECT_EQ(part.field("content-encoding"), "br");
}

TEST_F(Files, a_sibling_that_is_older_than_its_file_is_not_used) {
  write("a.css", "new", 1'700'000'001);
  write("a.css.gz", "old", 1'700'000'000);
  EXPECT_EQ(get("/a.css", {{"accept-encoding", "gzip"}}).body, "new");
}

TEST_F(Files, siblings_can_be_switched_off) {
  write("a.css", "plain");
  write("a.css.gz", "gzip");
  serve({.precompressed = false});
  const TestResponse response = get("/a.css", {{"accept-encoding", "gzip"}});
  EXPECT_EQ(response.body, "plain");
  EXPECT_FALSE(response.has("vary"));
}

TEST_F(Files, content_that_is_not_compressible_does_not_vary) {
  write("a.png", "x");
  EXPECT_FALSE(get("/a.png").has("vary"));
}

TEST_F(Files, middleware_of_the_group_applies) {
  write("a.txt", "text");
  app.files("/assets", folder.string()).use([](Next next) {
    return next().then([](Response response) { return std::move(response.set("x-seen", "1")); });
  });
  Client client(app);
  EXPECT_EQ(client.get("/assets/a.txt").field("x-seen"), "1");
}

TEST_F(Files, a_folder_that_cannot_be_opened_is_an_error_of_the_start) {
  app.files("/assets", (folder / "none").string());
  try {
    app.service();
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("files_test.cpp:"));
    EXPECT_THAT(error.what(), HasSubstr("/none' cannot be served: No such file or directory"));
  }
}

TEST_F(Files, contradictory_rules_are_an_error_of_the_start) {
  app.files("/assets", folder.string(), {.cache = {{"*", {.immutable = true}}}});
  EXPECT_THROW(app.service(), SetupError);
}

TEST_F(Files, hidden_paths_have_the_not_found_page_and_not_the_index) {
  write("index.html", "index");
  write("404.html", "nothing here");
  write(".env", "secret");
  serve({.not_found = "404.html"});
  for (const char* path : {"/.env", "/a%2fb"}) {
    EXPECT_EQ(get(path).status, 404) << path;
    EXPECT_EQ(get(path).body, "nothing here") << path;
  }
}

}  // namespace
}  // namespace tern::testing
