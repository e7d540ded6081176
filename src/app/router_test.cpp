// The router by itself: which pattern a path finds, and what its placeholders are then.
#include "app/router.hpp"

#include <tern/app/app.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Routes of one test, told apart by their patterns.
class Routes {
public:
  Routes(std::initializer_list<std::string> patterns) {
    for (const std::string& pattern : patterns) add(pattern);
  }
  void add(const std::string& pattern, Method method = Method::Get) {
    names_.push_back(router_.add(method, pattern, static_cast<Router::RouteIndex>(patterns_.size())));
    patterns_.push_back(pattern);
  }

  // The pattern that serves `path`; "" when none does. The values are in `values` then.
  std::string find(std::string_view path, Method method = Method::Get) {
    arena_.clear();
    values.clear();
    if (!path_fault(path, arena_).empty()) return "refused";
    std::array<std::string_view, http::max_parameters> found;
    const Router::Match match = router_.find(static_cast<MethodIndex>(method), path, arena_, found);
    offered = match.offered;
    if (!match.route) {
      EXPECT_EQ(match.parameters, 0U);
      return "";
    }
    values.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(match.parameters));
    EXPECT_EQ(values.size(), names_[*match.route].size());
    return patterns_[*match.route];
  }

  std::vector<std::string> values;
  MethodMask offered = 0;

private:
  Router router_;
  Arena arena_;
  std::vector<std::string> patterns_;
  std::vector<std::vector<std::string>> names_;
};

std::string error_of(auto register_routes) {
  try {
    register_routes();
  } catch (const SetupError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Router, finds_literal_paths_and_nothing_beside_them) {
  Routes routes{"/", "/books", "/books/new", "/books/"};
  EXPECT_EQ(routes.find("/"), "/");
  EXPECT_EQ(routes.find("/books"), "/books");
  EXPECT_EQ(routes.find("/books/"), "/books/");
  EXPECT_EQ(routes.find("/books/new"), "/books/new");
  EXPECT_EQ(routes.find("/books/new/"), "");
  EXPECT_EQ(routes.find("/book"), "");
  EXPECT_EQ(routes.find("/bookss"), "");
  EXPECT_EQ(routes.find("/Books"), "");
  EXPECT_EQ(routes.find("//"), "");
  EXPECT_EQ(routes.find("//books"), "");
  EXPECT_EQ(routes.find("/books//new"), "");
  EXPECT_EQ(routes.find(""), "");
  EXPECT_EQ(routes.find("books"), "");
  EXPECT_EQ(routes.find("*"), "");
}

TEST(Router, prefers_a_literal_to_a_regex_to_a_parameter_to_the_rest) {
  Routes routes{"/{rest...}", "/{any}", "/{number:[0-9]+}", "/7"};
  EXPECT_EQ(routes.find("/7"), "/7");
  EXPECT_EQ(routes.find("/8"), "/{number:[0-9]+}");
  EXPECT_EQ(routes.find("/x"), "/{any}");
  EXPECT_EQ(routes.find("/x/y"), "/{rest...}");
  EXPECT_EQ(routes.find("/"), "/{rest...}");
}

TEST(Router, goes_back_when_the_preferred_branch_leads_nowhere) {
  Routes routes{"/a/b/c", "/{x}/b/{y}", "/a/{z...}", "/{n:[a-c]}/q/r"};
  EXPECT_EQ(routes.find("/a/b/c"), "/a/b/c");
  EXPECT_EQ(routes.find("/a/b/d"), "/a/{z...}");
  EXPECT_THAT(routes.values, ElementsAre("b/d"));
  EXPECT_EQ(routes.find("/c/b/d"), "/{x}/b/{y}");
  EXPECT_THAT(routes.values, ElementsAre("c", "d"));
  EXPECT_EQ(routes.find("/b/q/r"), "/{n:[a-c]}/q/r");
  EXPECT_THAT(routes.values, ElementsAre("b"));
  EXPECT_EQ(routes.find("/d/q/r"), "");
}

TEST(Router, never_gives_a_parameter_an_empty_segment) {
  Routes routes{"/{a}", "/x/{b}", "/r/{c:.*}", "/x/{d}/y"};
  EXPECT_EQ(routes.find("/"), "");
  EXPECT_EQ(routes.find("/x/"), "");
  EXPECT_EQ(routes.find("/r/"), "");
  EXPECT_EQ(routes.find("/x//y"), "");
}

TEST(Router, gives_the_rest_of_the_path_even_when_it_is_empty) {
  Routes routes{"/files/{path...}"};
  EXPECT_EQ(routes.find("/files/"), "/files/{path...}");
  EXPECT_THAT(routes.values, ElementsAre(""));
  EXPECT_EQ(routes.find("/files/a"), "/files/{path...}");
  EXPECT_THAT(routes.values, ElementsAre("a"));
  EXPECT_EQ(routes.find("/files/a/b/"), "/files/{path...}");
  EXPECT_THAT(routes.values, ElementsAre("a/b/"));
  EXPECT_EQ(routes.find("/files//a"), "/files/{path...}");
  EXPECT_THAT(routes.values, ElementsAre("/a"));
  EXPECT_EQ(routes.find("/files"), "") << "that is the trailing slash's business";
}

TEST(Router, matches_a_regular_expression_with_the_whole_segment) {
  Routes routes{"/{id:[0-9]+}", "/{word:a|ab}/x"};
  EXPECT_EQ(routes.find("/12"), "/{id:[0-9]+}");
  EXPECT_THAT(routes.values, ElementsAre("12"));
  EXPECT_EQ(routes.find("/12a"), "");
  EXPECT_EQ(routes.find("/a12"), "");
  EXPECT_EQ(routes.find("/ab/x"), "/{word:a|ab}/x");
  EXPECT_EQ(routes.find("/abc/x"), "");
  EXPECT_EQ(routes.find("/12%0A"), "") << "a line end is not the end of the text";
}

TEST(Router, matches_a_regular_expression_with_the_decoded_segment) {
  Routes routes{"/{word:ä+}", "/{path:[a-z]/[a-z]}/x"};
  EXPECT_EQ(routes.find("/%C3%A4%c3%a4"), "/{word:ä+}");
  EXPECT_THAT(routes.values, ElementsAre("ää"));
  EXPECT_EQ(routes.find("/a%2Fb/x"), "/{path:[a-z]/[a-z]}/x");
  EXPECT_EQ(routes.find("/a/b/x"), "");
}

TEST(Router, tries_regular_expressions_in_the_order_of_registration) {
  Routes routes{"/{a:[0-9a-f]+}", "/{b:[0-9]+}"};
  EXPECT_EQ(routes.find("/7"), "/{a:[0-9a-f]+}");
}

TEST(Router, matches_a_literal_with_its_encoded_form) {
  Routes routes{"/caf\xC3\xA9/menu", "/a-b"};
  EXPECT_EQ(routes.find("/caf%C3%A9/menu"), "/caf\xC3\xA9/menu");
  EXPECT_EQ(routes.find("/caf%c3%a9/%6Denu"), "/caf\xC3\xA9/menu");
  EXPECT_EQ(routes.find("/%61%2Db"), "/a-b");
  EXPECT_EQ(routes.find("/%2561-b"), "");
}

TEST(Router, keeps_an_encoded_slash_inside_its_segment) {
  Routes routes{"/{a}", "/{a}/{b}", "/files/{path...}"};
  EXPECT_EQ(routes.find("/x%2Fy"), "/{a}");
  EXPECT_THAT(routes.values, ElementsAre("x/y"));
  EXPECT_EQ(routes.find("/x%2fy/z"), "/{a}/{b}");
  EXPECT_THAT(routes.values, ElementsAre("x/y", "z"));
  EXPECT_EQ(routes.find("/files%2Fx"), "/{a}");
  EXPECT_EQ(routes.find("/files/a%2Fb/c%20d"), "/files/{path...}");
  EXPECT_THAT(routes.values, ElementsAre("a/b/c d"));
}

TEST(Router, leaves_a_plus_and_an_encoded_percent_alone) {
  Routes routes{"/{a}"};
  EXPECT_EQ(routes.find("/1+1"), "/{a}");
  EXPECT_THAT(routes.values, ElementsAre("1+1"));
  EXPECT_EQ(routes.find("/%252e%252e"), "/{a}");
  EXPECT_THAT(routes.values, ElementsAre("%2e%2e"));
}

TEST(Router, refuses_dot_segments_however_they_are_written) {
  Routes routes{"/{rest...}"};
  for (const char* path : {"/.", "/..", "/a/..", "/a/../b", "/./a", "/a/.", "/%2e", "/%2E%2e/a", "/.%2e", "/%2e./x",
                           "/a/%2e%2e/b", "/a%2F..%2Fb", "/..%2Fa", "/a%2f.", "/a%2F%2e%2e", "/a/b%2F%2E"}) {
    EXPECT_EQ(routes.find(path), "refused") << path;
  }
  for (const char* path : {"/...", "/.a", "/a.", "/a..b", "/..a", "/a/.well-known", "/%2e%2e%2e", "/a%2F.b", "/ .."}) {
    EXPECT_EQ(routes.find(path), "/{rest...}") << path;
  }
}

TEST(Router, refuses_malformed_escapes_and_nul) {
  Routes routes{"/{rest...}"};
  for (const char* path : {"/%", "/%2", "/%zz", "/a%/b", "/%00", "/a/%2", "/%2/0"}) {
    EXPECT_EQ(routes.find(path), "refused") << path;
  }
}

TEST(Router, tells_the_methods_of_a_path_apart) {
  Routes routes{};
  routes.add("/books", Method::Get);
  routes.add("/books", Method::Post);
  routes.add("/{any}", Method::Delete);
  EXPECT_EQ(routes.find("/books", Method::Post), "/books");
  EXPECT_EQ(routes.find("/books", Method::Delete), "/{any}") << "the first complete match that has the method";
  EXPECT_EQ(routes.find("/books", Method::Put), "");
  EXPECT_EQ(Router().allow_value(routes.offered), "GET, HEAD, POST, DELETE, OPTIONS");
  EXPECT_EQ(routes.find("/x", Method::Get), "");
  EXPECT_EQ(Router().allow_value(routes.offered), "DELETE, OPTIONS");
  EXPECT_EQ(routes.find("/x/y", Method::Get), "");
  EXPECT_EQ(routes.offered, 0U);
}

TEST(Router, answers_head_with_get_unless_there_is_a_head) {
  Routes routes{"/a"};
  EXPECT_EQ(routes.find("/a", Method::Head), "/a");
  routes.add("/a", Method::Head);
  EXPECT_EQ(routes.find("/a", Method::Head), "/a");
  EXPECT_EQ(Router().allow_value(mask_of(Method::Head)), "HEAD, OPTIONS");
}

TEST(Router, refuses_two_routes_that_cannot_be_told_apart_and_names_both) {
  Routes routes{"/books/{id}", "/books/{id}/{n:[0-9]}", "/files/{a...}"};
  EXPECT_EQ(error_of([&] { routes.add("/books/{name}"); }),
            "GET '/books/{name}' conflicts with '/books/{id}', which is registered already");
  EXPECT_EQ(error_of([&] { routes.add("/books/{x}/{y:[0-9]}"); }),
            "GET '/books/{x}/{y:[0-9]}' conflicts with '/books/{id}/{n:[0-9]}', which is registered already");
  EXPECT_EQ(error_of([&] { routes.add("/files/{b...}"); }),
            "GET '/files/{b...}' conflicts with '/files/{a...}', which is registered already");
  EXPECT_EQ(error_of([&] { routes.add("/books/{name}", Method::Post); }), "no error");
}

TEST(Router, survives_a_refused_registration) {
  Routes routes{"/a/{b}"};
  EXPECT_NE(error_of([&] { routes.add("/a/{c}"); }), "no error");
  EXPECT_NE(error_of([&] { routes.add("/x/{c:(}"); }), "no error");
  EXPECT_EQ(routes.find("/a/1"), "/a/{b}");
  EXPECT_EQ(routes.find("/x/1"), "");
  routes.add("/x/{c}");
  EXPECT_EQ(routes.find("/x/1"), "/x/{c}");
}

TEST(Router, says_what_is_wrong_with_a_regular_expression) {
  EXPECT_THAT(error_of([] { Routes routes{"/{id:[0-9}"}; }),
              HasSubstr("pattern '/{id:[0-9}': the regular expression '[0-9' is malformed: "));
  EXPECT_THAT(error_of([] { Routes routes{"/{id:(?=x)}"}; }), HasSubstr("is malformed")) << "RE2 is linear";
}

TEST(Router, says_what_is_wrong_with_a_pattern) {
  EXPECT_EQ(error_of([] { Routes routes{"/{id"}; }), "pattern '/{id': a '{' is not closed");
  EXPECT_EQ(error_of([] { Routes routes{""}; }), "pattern '': a pattern begins with '/'");
}

TEST(Router, visits_each_node_at_most_once) {
  // Every segment has a literal, a regular expression and a parameter; only the last one fails. A look-up that tried
  // all ways through the tree would not end.
  Routes routes{};
  std::string pattern;
  std::string path;
  for (int i = 0; i < 16; ++i) {
    routes.add(pattern + "/a");
    routes.add(pattern + "/{r:a+}");
    pattern += "/{p" + std::to_string(i) + "}";
    path += "/a";
    if (i < 15) routes.add(pattern);
  }
  EXPECT_EQ(routes.find(path + "/a"), "");
  EXPECT_THAT(routes.values, IsEmpty());
}

TEST(Router, takes_sixteen_placeholders) {
  std::string pattern;
  std::string path;
  for (int i = 0; i < 16; ++i) {
    pattern += "/{p" + std::to_string(i) + "}";
    path += "/" + std::to_string(i);
  }
  Routes routes{pattern};
  EXPECT_EQ(routes.find(path), pattern);
  EXPECT_EQ(routes.values.back(), "15");
}

TEST(Router, refuses_percent_escapes_that_are_not_utf8) {
  Routes routes({"/rooms/{room}", "/files/{path...}"});
  for (const char* bad :
       {"/rooms/%FF", "/rooms/%E9", "/rooms/%C0%AF", "/rooms/%ED%A0%80", "/files/%C3/%A9", "/none/%80"}) {
    EXPECT_EQ(routes.find(bad), "refused") << bad;
  }
  EXPECT_EQ(routes.find("/rooms/%C3%A9"), "/rooms/{room}");
  EXPECT_EQ(routes.values.front(), "\xC3\xA9");
  EXPECT_EQ(routes.find("/files/%E2%82%AC/%F0%9F%98%80"), "/files/{path...}");
}

}  // namespace
}  // namespace tern::app
