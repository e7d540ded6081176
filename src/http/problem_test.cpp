#include <tern/http/problem.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tern {
namespace {

std::string json(Status status, std::string detail = {}, std::vector<ProblemItem> errors = {}) {
  return to_json(Problem{status, std::move(detail), std::move(errors), {}});
}

TEST(Problem, is_its_status_and_title_alone_where_there_is_no_more) {
  EXPECT_EQ(json(Status::NotFound), R"({"type":"about:blank","title":"Not Found","status":404})");
  EXPECT_EQ(to_json(Problem()), R"({"type":"about:blank","title":"Internal Server Error","status":500})");
}

TEST(Problem, tells_its_detail_and_every_wrong_member_in_order) {
  EXPECT_EQ(json(Status::UnprocessableContent, "two members", {{"/a", "missing"}, {"/b/0", "not a number"}}),
            R"({"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"two members",)"
            R"("errors":[{"detail":"missing","pointer":"/a"},{"detail":"not a number","pointer":"/b/0"}]})");
}

TEST(Problem, escapes_text_of_clients) {
  EXPECT_EQ(json(Status::BadRequest, "a\"b\\c\r\n\x01", {{"/\"", "\n"}}),
            R"({"type":"about:blank","title":"Bad Request","status":400,"detail":"a\"b\\c\r\n\u0001",)"
            R"("errors":[{"detail":"\n","pointer":"/\""}]})");
}

TEST(Problem, is_utf_8_whatever_came_from_a_client) {
  EXPECT_EQ(json(Status::BadRequest, "\xC3\xA4 \xFF"),
            "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"\xC3\xA4 \xEF\xBF\xBD\"}");
}

TEST(Problem, takes_a_status_without_a_name) {
  EXPECT_EQ(json(static_cast<Status>(499)), R"({"type":"about:blank","title":"","status":499})");
}

TEST(Problem, has_a_type_a_title_an_instance_and_extension_members) {
  Problem problem{Status::Forbidden, "Your balance is 30.", {{"/amount", "too much"}}};
  problem.type = "https://example.com/probs/out-of-credit";
  problem.title = "You do not have enough credit.";
  problem.instance = "/account/12345/msgs/abc";
  problem.set_member("balance", 50).set_member("accounts", std::vector<std::string>{"/account/1", "/a\"b"});
  problem.set_member("balance", 30).set_json_member("raw", "{}");
  EXPECT_EQ(to_json(problem),
            R"({"type":"https://example.com/probs/out-of-credit","title":"You do not have enough credit.",)"
            R"("status":403,"detail":"Your balance is 30.","instance":"/account/12345/msgs/abc",)"
            R"("errors":[{"detail":"too much","pointer":"/amount"}],)"
            R"("balance":30,"accounts":["/account/1","/a\"b"],"raw":{}})");
}

TEST(Problem, refuses_a_standard_member_as_an_extension) {
  for (const char* name : {"type", "title", "status", "detail", "instance", "errors"}) {
    EXPECT_THROW(Problem().set_member(name, 1), std::invalid_argument) << name;
  }
  EXPECT_EQ(HttpError(Status::Gone).set_member("Type", 1).problem().extensions.size(), 1U);
}

TEST(HttpError, carries_its_problem_to_who_catches_it) {
  try {
    throw HttpError(Status::NotFound, "no such book").set("x-a", "1").set("retry-after", "5");
  } catch (const std::exception& error) {
    const auto& http = dynamic_cast<const HttpError&>(error);
    EXPECT_EQ(http.status(), Status::NotFound);
    EXPECT_STREQ(error.what(), "no such book");
    EXPECT_EQ(http.problem().fields.text(), "x-a: 1\r\nretry-after: 5\r\n");
  }
}

TEST(HttpError, is_independent_of_its_copy) {
  HttpError error(Problem{Status::Conflict, "text that does not fit inside a short string", {{"/a", "b"}}, {}});
  const HttpError copy = error;
  error.set("a", "1");
  EXPECT_TRUE(copy.problem().fields.empty());
  EXPECT_EQ(copy.problem().errors.size(), 1U);
  EXPECT_NE(copy.what(), error.what());
  EXPECT_STREQ(copy.what(), error.what());
}

TEST(HttpError, refuses_a_field_with_a_line_break) {
  HttpError error(Status::NotFound);
  EXPECT_STREQ(error.what(), "");
  EXPECT_THROW(error.set("a", "\r\n"), std::invalid_argument);
}

}  // namespace
}  // namespace tern
