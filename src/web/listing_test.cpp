#include "web/listing.hpp"

#include "web/file_testing.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Listing : public ServedFolderTest {
protected:
  Listing() { serve({.listing = true}); }
};

TEST_F(Listing, has_folders_first_names_sizes_and_dates) {
  write("b.txt", "text", 784'111'777);
  write("a.bin", std::string(1536, 'x'));
  make_folder("zoo");
  const TestResponse response = get("/");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(response.field("cache-control"), "no-cache");
  EXPECT_EQ(response.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(get("/", {{"if-none-match", std::string(response.field("etag"))}}).status, 304);
  EXPECT_THAT(std::string(response.field("content-security-policy")), HasSubstr("default-src 'none'"));
  const std::size_t zoo = response.body.find("<a href=\"./zoo/\"><bdi>zoo</bdi>/</a>");
  const std::size_t a = response.body.find("<a href=\"./a.bin\"><bdi>a.bin</bdi></a></td><td>1.5 KB</td>");
  const std::size_t b = response.body.find("<bdi>b.txt</bdi></a></td><td>4 B</td><td>1994-11-06 08:49</td>");
  ASSERT_NE(b, std::string::npos);
  EXPECT_LT(zoo, a);
  EXPECT_LT(a, b);
  EXPECT_THAT(response.body, Not(HasSubstr("../")));
}

TEST_F(Listing, of_a_folder_below_leads_up) {
  write("sub/a.txt", "x");
  EXPECT_THAT(get("/sub/").body, HasSubstr("<h1>/sub/</h1>"));
  EXPECT_THAT(get("/sub/").body, HasSubstr("<a href=\"../\">../</a>"));
}

TEST_F(Listing, has_only_what_is_served) {
  write(".hidden", "x");
  write("real.txt", "x");
  write_outside("secret.txt", "x");
  link("../secret.txt", "out.txt");
  link("real.txt", "in.txt");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::string page = get("/").body;
  EXPECT_THAT(page, HasSubstr("in.txt"));
  for (const char* name : {"hidden", "out.txt", "pipe"}) EXPECT_THAT(page, Not(HasSubstr(name)));
}

TEST_F(Listing, yields_to_an_index_file) {
  write("index.html", "<p>home");
  EXPECT_EQ(get("/").body, "<p>home");
}

TEST_F(Listing, escapes_names) {
  write("<script>alert('1')&\"2\".txt", "x");
  write("a\nb\r\x01.txt", "x");
  write("javascript:alert(1)", "x");
  write("a b?c#d%2e.txt", "x");
  const std::string page = get("/").body;
  EXPECT_THAT(page, HasSubstr("<bdi>&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;2&quot;.txt</bdi>"));
  EXPECT_THAT(page, HasSubstr("href=\"./%3Cscript%3Ealert%28%271%27%29%26%222%22.txt\""));
  EXPECT_THAT(page, HasSubstr("<bdi>a\xEF\xBF\xBD"
                              "b\xEF\xBF\xBD\xEF\xBF\xBD.txt</bdi>"));
  EXPECT_THAT(page, HasSubstr("href=\"./javascript%3Aalert%281%29\""));
  EXPECT_THAT(page, HasSubstr("href=\"./a%20b%3Fc%23d%252e.txt\""));
  EXPECT_EQ(get("/a%20b%3Fc%23d%252e.txt").status, 200);
  EXPECT_EQ(get("/a%0Ab%0D%01.txt").status, 200);
}

TEST_F(Listing, shows_bidi_controls_and_invalid_utf_8_as_replacement_characters) {
  write("photo\xE2\x80\xAEgpj.exe", "x");
  write("isolate\xE2\x81\xA6.txt", "x");
  write("latin1-\xE9.txt", "x");
  write("gr\xC3\xBC\xC3\x9F.txt", "x");
  const std::string page = get("/").body;
  EXPECT_THAT(page, HasSubstr("<bdi>photo\xEF\xBF\xBDgpj.exe</bdi>"));
  EXPECT_THAT(page, HasSubstr("<bdi>isolate\xEF\xBF\xBD.txt</bdi>"));
  EXPECT_THAT(page, HasSubstr("<td><bdi>latin1-\xEF\xBF\xBD.txt</bdi></td>"));
  EXPECT_THAT(page, HasSubstr("<bdi>gr\xC3\xBC\xC3\x9F.txt</bdi>"));
}

TEST(RenderListing, shows_sizes_with_a_unit) {
  const auto shown = [](std::uint64_t size) {
    const std::string page = web::render_listing("", {{"a", false, size, 0}});
    const std::size_t begin = page.find("</bdi></a></td><td>") + 19;
    return page.substr(begin, page.find('<', begin) - begin);
  };
  EXPECT_EQ(shown(0), "0 B");
  EXPECT_EQ(shown(1023), "1023 B");
  EXPECT_EQ(shown(1024), "1.0 KB");
  EXPECT_EQ(shown(10'240), "10 KB");
  EXPECT_EQ(shown(5'767'168), "5.5 MB");
  EXPECT_EQ(shown((std::uint64_t{4} << 30) + 1), "4.0 GB");
  EXPECT_EQ(shown(~std::uint64_t{0}), "15 EB");
}

TEST(RenderListing, says_that_there_are_more_files) {
  std::vector<web::ListedFile> files(web::max_listed_files, {"a", false, 1, 0});
  EXPECT_FALSE(web::render_listing("", files).contains("more files"));
  files.push_back({"b", false, 1, 0});
  const std::string page = web::render_listing("", files);
  EXPECT_TRUE(page.contains("<p>There are more files: only 10000 are listed.</p>"));
  EXPECT_FALSE(page.contains(">b<"));
}

TEST(RenderListing, escapes_the_path) {
  const std::string page = web::render_listing("<b>&/", {});
  EXPECT_THAT(page, HasSubstr("<title>/&lt;b&gt;&amp;/</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>/&lt;b&gt;&amp;/</h1>"));
}

}  // namespace
}  // namespace tern::testing
