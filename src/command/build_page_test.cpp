#include "command/build_page.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tern::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const BuildPage failed{"The build failed",
                       "[1/2] Building\n\033[1m\033[31mapp.cpp:7:3: error: \033[0m'vector<int>' & more\nnote: here\n"};

TEST(BuildPage, shows_errors_first_and_then_all_output) {
  const std::string html = as_html(failed);
  EXPECT_THAT(html, HasSubstr("<title>The build failed</title>"));
  EXPECT_THAT(html, HasSubstr("<pre class=\"errors\">app.cpp:7:3: error: 'vector&lt;int&gt;' &amp; more\n</pre>"));
  EXPECT_THAT(html, HasSubstr("<pre class=\"output\">[1/2] Building\napp.cpp:7:3: error: "));
  EXPECT_THAT(html, Not(HasSubstr("\033")));
  EXPECT_THAT(as_html({"Building", ""}), Not(HasSubstr("<pre")));
}

TEST(BuildPage, shows_the_lines_of_the_source_and_paths_from_the_project) {
  const std::string html = as_html({"The build failed",
                                    "/home/a/shop/main.cpp: In function 'int main()':\n"
                                    "/home/a/shop/main.cpp:3:5: error: expected ';'\n    3 |   f()\n      |     ^\n"
                                    "ninja: build stopped\n/usr/include/x.h:1:1: error: y\n",
                                    "/home/a/shop/"});
  EXPECT_THAT(html, HasSubstr("<pre class=\"errors\">main.cpp:3:5: error: expected ';'\n    3 |   f()\n      |     ^\n"
                              "/usr/include/x.h:1:1: error: y\n</pre>"));
}

TEST(BuildPage, shows_what_cmake_explains) {
  const std::string html =
      as_html({"The build failed",
               "-- Found Threads\nCMake Error at CMakeLists.txt:9 (find_package):\n"
               "  By not providing \"Findtern.cmake\"\n\n  Could not find\n\n\n-- Configuring incomplete\n"});
  EXPECT_THAT(html, HasSubstr("<pre class=\"errors\">CMake Error at CMakeLists.txt:9 (find_package):\n"
                              "  By not providing \"Findtern.cmake\"\n  Could not find\n</pre>"));
}

TEST(BuildPage, shows_the_first_errors_only) {
  std::string output;
  for (int i = 0; i < 100; ++i) output += "a.cpp:" + std::to_string(i) + ":1: error: b\n";
  const std::string html = as_html({"The build failed", output});
  const std::string errors = html.substr(0, html.find("</pre>"));
  EXPECT_THAT(errors, HasSubstr("a.cpp:19:1: error"));
  EXPECT_THAT(errors, Not(HasSubstr("a.cpp:20:1: error")));
}

TEST(BuildPage, answers_every_request) {
  App app;
  add_build_page(app, failed);
  testing::Client client(app);
  const testing::TestResponse text = client.post("/orders", "{}");
  EXPECT_EQ(text.status, 503);
  EXPECT_EQ(text.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_THAT(text.body, HasSubstr("The build failed\n\n[1/2] Building\napp.cpp:7:3: error: 'vector<int>'"));
  client.with("accept", "text/html,*/*;q=0.8");
  EXPECT_EQ(client.get("/").field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(client.get("/").field("cache-control"), "no-store");
}

TEST(BuildPage, is_plain_without_sequences_of_terminals) {
  EXPECT_EQ(without_colours("a\033[1;31mb\033[0m\033[Kc"), "abc");
  EXPECT_EQ(without_colours("a\033[1;3"), "a");
  EXPECT_EQ(without_colours("a\033(Bc\033"), "aBc");
}

}  // namespace
}  // namespace tern::command
