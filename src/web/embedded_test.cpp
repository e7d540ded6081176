// Embedded files: the folder embed/sample, which the build put into this program.
#include <embedded/sample.hpp>

#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tern::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string on_disk(const std::string& path) {
  std::ifstream file(std::string(SAMPLE_FOLDER) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Embedded : public ::testing::Test {
protected:
  Client& serve(const FileOptions& options = {}) {
    app.files("/assets", embedded::sample, options);
    client_ = base::make_box<Client>(app);
    return *client_;
  }
  TestResponse get(std::string_view path, std::vector<std::pair<std::string, std::string>> fields = {}) {
    Client& client = client_ ? *client_ : serve();
    return client.send({Method::Get, "/assets" + std::string(path), std::move(fields)});
  }

  App app;

private:
  base::Box<Client> client_;
};

TEST_F(Embedded, files_have_the_content_type_and_validator_of_their_content) {
  const TestResponse response = get("/css/style.css");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, on_disk("css/style.css"));
  EXPECT_EQ(response.field("content-type"), "text/css; charset=utf-8");
  EXPECT_THAT(std::string(response.field("etag")), MatchesRegex("\"[0-9a-f]{32}\""));
  EXPECT_EQ(response.field("vary"), "Accept-Encoding");
  EXPECT_EQ(response.field("accept-ranges"), "bytes");
  EXPECT_EQ(response.field("x-content-type-options"), "nosniff");
  EXPECT_FALSE(response.has("last-modified"));
  EXPECT_FALSE(response.has("cache-control"));
}

TEST_F(Embedded, binary_and_empty_files_arrive_unchanged) {
  EXPECT_EQ(get("/dot.png").body, on_disk("dot.png"));
  EXPECT_EQ(get("/dot.png").field("content-type"), "image/png");
  const TestResponse empty = get("/empty.txt");
  EXPECT_EQ(empty.status, 200);
  EXPECT_EQ(empty.body, "");
  EXPECT_EQ(empty.field("content-length"), "0");
}

TEST_F(Embedded, siblings_are_made_by_the_build_and_chosen_by_q_values) {
  const std::string plain(get("/css/style.css").field("etag"));
  for (const std::string coding : {"br", "zstd", "gzip"}) {
    const TestResponse response = get("/css/style.css", {{"accept-encoding", coding}});
    EXPECT_EQ(response.field("content-encoding"), coding);
    EXPECT_LT(response.body.size(), on_disk("css/style.css").size() / 2);
    EXPECT_NE(response.field("etag"), plain);
  }
  EXPECT_FALSE(get("/dot.png", {{"accept-encoding", "br, gzip"}}).has("content-encoding"));
}

TEST_F(Embedded, conditions_and_ranges_are_those_of_files) {
  const std::string content = on_disk("css/style.css");
  const std::string etag(get("/css/style.css").field("etag"));
  EXPECT_EQ(get("/css/style.css", {{"if-none-match", etag}}).status, 304);
  EXPECT_EQ(get("/css/style.css", {{"if-match", "\"other\""}}).status, 412);
  const TestResponse part = get("/css/style.css", {{"range", "bytes=2-5"}, {"if-range", etag}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, content.substr(2, 4));
  const TestResponse parts = get("/css/style.css", {{"range", "bytes=0-1,90-91"}});
  EXPECT_EQ(parts.status, 206);
  EXPECT_THAT(parts.body, HasSubstr("Content-Range: bytes 90-91/" + std::to_string(content.size())));
  EXPECT_EQ(get("/css/style.css", {{"range", "bytes=99999-"}}).status, 416);
}

TEST_F(Embedded, a_path_with_the_hash_of_the_content_is_immutable) {
  const std::string path(embedded::sample.hashed_path("css/style.css"));
  EXPECT_THAT(path, MatchesRegex("css/style\\.[0-9a-f]{16}\\.css"));
  const TestResponse response = get("/" + path);
  EXPECT_EQ(response.body, on_disk("css/style.css"));
  EXPECT_EQ(response.field("cache-control"), "max-age=31536000, immutable");
  EXPECT_EQ(get("/css/style.0123456789abcdef.css").status, 404);
  EXPECT_THROW(embedded::sample.hashed_path("css/none.css"), std::out_of_range);
}

TEST_F(Embedded, folders_have_their_index_and_are_redirected_to_their_slash) {
  EXPECT_EQ(get("/").body, on_disk("index.html"));
  EXPECT_EQ(get("/").field("cache-control"), "no-cache");
  EXPECT_EQ(get("/docs/").body, on_disk("docs/index.html"));
  EXPECT_EQ(get("/docs").status, 308);
  EXPECT_EQ(get("/docs").field("location"), "./docs/");
  EXPECT_EQ(get("/css/").status, 404);
  EXPECT_EQ(get("/index.html/").status, 404);
}

TEST_F(Embedded, hidden_and_missing_files_are_missing) {
  EXPECT_FALSE(embedded::sample.content(".hidden"));
  for (const char* path : {"/.hidden", "/none", "/css%2fstyle.css", "/css//style.css"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(Embedded, options_apply) {
  serve({.fallback = "index.html",
         .not_found = "docs/index.html",
         .precompressed = false,
         .cache = {{"*.css", {.max_age = Seconds(60)}}}});
  EXPECT_EQ(get("/some/view").body, on_disk("index.html"));
  EXPECT_EQ(get("/none.js").status, 404);
  EXPECT_EQ(get("/none.js").body, on_disk("docs/index.html"));
  EXPECT_EQ(get("/css/style.css").field("cache-control"), "max-age=60");
  EXPECT_FALSE(get("/css/style.css", {{"accept-encoding", "br"}}).has("content-encoding"));
}

TEST_F(Embedded, a_listing_is_refused_at_the_start) {
  app.files("/assets", embedded::sample, {.listing = true});
  EXPECT_THROW(app.service(), SetupError);
}

TEST_F(Embedded, contents_are_static) {
  const auto content = embedded::sample.content("index.html");
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, on_disk("index.html"));
  EXPECT_EQ(content->data(), embedded::sample.content("index.html")->data());
}

}  // namespace
}  // namespace tern::testing
