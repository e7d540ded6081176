// tern::File as the result of a handler.
#include "web/content_disposition.hpp"
#include "web/file_testing.hpp"

#include <tern/async.hpp>

#include <gmock/gmock.h>

#include <expected>
#include <optional>
#include <string>

namespace tern::testing {
namespace {

using ::testing::HasSubstr;
using web::attachment;

class FileResult : public FolderTest {
protected:
  FileResult() { write("report.txt", "0123456789", 784'111'777); }
  std::string path() const { return (folder / "report.txt").string(); }

  App app;
};

TEST_F(FileResult, is_served_like_any_file) {
  app.get("/", [this] { return File(path()); });
  Client client(app);
  const TestResponse response = client.get("/");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "0123456789");
  EXPECT_EQ(response.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(response.field("last-modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(response.field("x-content-type-options"), "nosniff");
  EXPECT_FALSE(response.has("content-disposition"));
  EXPECT_EQ(client.head("/").field("content-length"), "10");
  const std::string etag(response.field("etag"));
  EXPECT_EQ(client.send({Method::Get, "/", {{"if-none-match", etag}}}).status, 304);
  EXPECT_EQ(client.send({Method::Get, "/", {{"if-match", "\"a\""}}}).status, 412);
  EXPECT_EQ(client.send({Method::Get, "/", {{"range", "bytes=-2"}}}).body, "89");
}

TEST_F(FileResult, has_a_name_a_type_and_cache_control) {
  app.get("/", [this] {
    return File(path()).download("Report 2026.txt").type("text/x-report").cache({.max_age = Seconds(60)});
  });
  app.get("/own", [this] { return File(path()).download(); });
  Client client(app);
  const TestResponse response = client.get("/");
  EXPECT_EQ(response.field("content-disposition"), "attachment; filename=\"Report 2026.txt\"");
  EXPECT_EQ(response.field("content-type"), "text/x-report");
  EXPECT_EQ(response.field("cache-control"), "max-age=60");
  EXPECT_EQ(client.get("/own").field("content-disposition"), "attachment; filename=\"report.txt\"");
}

TEST_F(FileResult, that_is_missing_is_a_404) {
  app.get("/missing", [this] { return File(path() + ".none"); });
  app.get("/folder", [this] { return File(folder.string()); });
  app.get("/beneath", [this] { return File::beneath((folder / "none").string(), "a.txt"); });
  Client client(app);
  for (const char* target : {"/missing", "/folder", "/beneath"}) {
    EXPECT_EQ(client.get(target).status, 404) << target;
    EXPECT_EQ(client.get(target).field("content-type"), "application/problem+json");
  }
}

TEST_F(FileResult, beneath_a_folder_takes_names_from_clients) {
  write("sub/inner.txt", "inner");
  write(".env", "secret");
  write_outside("secret.txt", "secret");
  link("../secret.txt", "out.txt");
  app.get("/files", [this](QueryParam<"name", std::string> name) { return File::beneath(folder.string(), *name); });
  Client client(app);
  EXPECT_EQ(client.get("/files?name=report.txt").body, "0123456789");
  EXPECT_EQ(client.get("/files?name=sub/inner.txt").body, "inner");
  for (const char* name : {"../secret.txt", "sub/../../secret.txt", "/etc/passwd", "out.txt", ".env", "", "sub", "a\\b",
                           "%2e%2e/secret.txt", "report.txt/", "./report.txt"}) {
    EXPECT_EQ(client.get("/files?name=" + std::string(name)).status, 404) << name;
  }
}

TEST_F(FileResult, may_be_optional_expected_or_of_a_task) {
  app.get("/optional/{has}", [this](bool has) { return has ? std::optional(File(path())) : std::nullopt; });
  app.get("/expected/{has}", [this](bool has) -> std::expected<File, Problem> {
    if (!has) return std::unexpected(Problem{Status::Gone});
    return File(path());
  });
  app.get("/task", [this]() -> Task<File> {
    co_await yield();
    co_return File(path());
  });
  app.get("/both/{has}", [this](bool has) -> Task<std::optional<File>> {
    co_await yield();
    if (!has) co_return std::nullopt;
    co_return File(path());
  });
  Client client(app);
  EXPECT_EQ(client.get("/optional/true").body, "0123456789");
  EXPECT_EQ(client.get("/optional/false").status, 404);
  EXPECT_EQ(client.get("/expected/true").body, "0123456789");
  EXPECT_EQ(client.get("/expected/false").status, 410);
  EXPECT_EQ(client.get("/task").body, "0123456789");
  EXPECT_EQ(client.get("/both/true").body, "0123456789");
  EXPECT_EQ(client.get("/both/false").status, 404);
}

TEST_F(FileResult, passes_middleware) {
  app.use(
      [](Next next) { return next().then([](Response response) { return std::move(response.set("x-seen", "1")); }); });
  app.get("/", [this] { return File(path()); });
  Client client(app);
  EXPECT_EQ(client.get("/").field("x-seen"), "1");
  EXPECT_EQ(client.get("/").body, "0123456789");
}

TEST(Attachment, has_the_name_as_ascii_and_in_utf_8_where_that_differs) {
  EXPECT_EQ(attachment("a.txt"), "attachment; filename=\"a.txt\"");
  EXPECT_EQ(attachment("a b;c.txt"), "attachment; filename=\"a b;c.txt\"");
  EXPECT_EQ(attachment("\xE2\x82\xAC rates.txt"),
            "attachment; filename=\"_ rates.txt\"; filename*=UTF-8''%E2%82%AC%20rates.txt");
  EXPECT_EQ(attachment("50%25.txt"), "attachment; filename=\"50_25.txt\"; filename*=UTF-8''50%2525.txt");
  EXPECT_EQ(attachment("say \"hi\".txt"), "attachment; filename=\"say _hi_.txt\"; filename*=UTF-8''say%20%22hi%22.txt");
  EXPECT_EQ(attachment(""), "attachment");
}

TEST(Attachment, has_no_folders_control_characters_and_bidi_controls) {
  EXPECT_EQ(attachment("../../etc/passwd"), "attachment; filename=\"passwd\"");
  EXPECT_EQ(attachment("C:\\temp\\a.txt"), "attachment; filename=\"a.txt\"");
  EXPECT_EQ(attachment("a\r\nSet-Cookie: x=1"), "attachment; filename=\"a__Set-Cookie: x=1\"");
  EXPECT_EQ(attachment("photo\xE2\x80\xAEgpj.exe"), "attachment; filename=\"photo_gpj.exe\"");
  EXPECT_EQ(attachment("latin1\xE9.txt"), "attachment; filename=\"latin1_.txt\"");
}

}  // namespace
}  // namespace tern::testing
