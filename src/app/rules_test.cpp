// Rules on members and parameters of requests: one 422 with every violation.
#include <tern/multipart.hpp>
#include <tern/rules.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rules_in_requests {

enum class Sorting { title, year, price };

struct Filter {
  std::string text = "";
  std::optional<int> from;
  std::optional<int> to;
  std::vector<std::string> tag = {};
  Sorting sort = Sorting::title;
  std::uint64_t seed = 0;
  double scale = 1;
};
struct NewBook {
  std::int64_t id = 0;
  std::string title;
  int year = 0;
};
struct Chapter {
  std::vector<NewBook> books;
};
struct BadPattern {
  std::string text;
};
struct HoldsBadPattern {
  std::vector<std::optional<BadPattern>> list;
};
struct Upload {
  std::string name;
  std::vector<tern::UploadedFile> files;
};
struct Word {
  std::string word;
};
struct Share {
  float part = 0;
  std::vector<float> steps;
};

struct Page : tern::QueryParam<"page", int, 1> {};
struct Tags : tern::QueryParam<"tag", std::vector<int>> {};
struct Isbn : tern::Path<"isbn", std::string> {};
struct Tenant : tern::Header<"X-Tenant", std::string> {};
struct Token : tern::Cookie<"token"> {};

}  // namespace rules_in_requests

using rules_in_requests::BadPattern;
using rules_in_requests::Filter;
using rules_in_requests::Isbn;
using rules_in_requests::NewBook;
using rules_in_requests::Page;
using rules_in_requests::Share;
using rules_in_requests::Tags;
using rules_in_requests::Tenant;
using rules_in_requests::Token;
using rules_in_requests::Upload;
using rules_in_requests::Word;

template <>
struct tern::JsonDefaults<Filter> {
  static constexpr bool may_be_missing = true;
};
template <>
struct tern::Rules<Filter> {
  static constexpr auto list =
      tern::rules(tern::member<&Filter::text>(tern::length(2, 5)), tern::member<&Filter::from>(tern::minimum(0)),
                  tern::member<&Filter::tag>(tern::items(0, 3), tern::unique_items(), tern::each(tern::not_empty())),
                  tern::member<&Filter::sort>(tern::one_of("title", "year")),
                  tern::member<&Filter::seed>(tern::maximum(UINT64_MAX - 1)),
                  tern::member<&Filter::scale>(tern::exclusive_minimum(0), tern::multiple_of(0.5)),
                  tern::check<&Filter::to>("to_after_from", "is before from", [](const Filter& filter) {
                    return filter.to.value_or(9999) >= filter.from.value_or(0);
                  }));
};
template <>
struct tern::Rules<NewBook> {
  static constexpr auto list =
      tern::rules(tern::member<&NewBook::id>(tern::read_only()), tern::member<&NewBook::title>(tern::length(1, 10)),
                  tern::member<&NewBook::year>(tern::range(1450, 2100)));
};
template <>
struct tern::Rules<BadPattern> {
  static constexpr auto list = tern::rules(tern::member<&BadPattern::text>(tern::pattern("[")));
};
template <>
struct tern::Rules<Upload> {
  static constexpr auto list = tern::rules(tern::member<&Upload::name>(tern::not_empty()));
};
template <>
struct tern::Rules<Page> {
  static constexpr auto list = tern::rules(tern::range(1, 100));
};
template <>
struct tern::Rules<Tags> {
  static constexpr auto list = tern::rules(tern::max_items(2), tern::each(tern::minimum(0)));
};
template <>
struct tern::Rules<Isbn> {
  static constexpr auto list = tern::rules(tern::pattern("^[0-9]{13}$", "must have 13 digits"));
};
template <>
struct tern::Rules<Tenant> {
  static constexpr auto list = tern::rules(tern::format(tern::Format::Uuid));
};
template <>
struct tern::Rules<Token> {
  static constexpr auto list = tern::rules(tern::min_length(4));
};
template <>
struct tern::Rules<Share> {
  static constexpr auto list = tern::rules(tern::member<&Share::part>(tern::multiple_of(0.1), tern::maximum(0.7)),
                                           tern::member<&Share::steps>(tern::each(tern::one_of(0.1, 0.25))));
};
template <>
struct tern::Rules<Word> {
  static constexpr auto list = tern::rules(tern::member<&Word::word>(tern::max_length(3)));
};

namespace rules_in_requests {

using tern::App;
using tern::Request;
using tern::Task;
using tern::testing::Client;
using tern::testing::TestRequest;
using ::testing::HasSubstr;
using ::testing::Not;

struct Entry {
  std::string pointer;
  std::string detail;
  std::string in = "-";
  std::string code = "-";
  std::optional<tern::json::Raw> expected;
};
struct Answer {
  std::string detail;
  std::vector<Entry> errors;
};

// "in pointer code expected" of every error.
std::vector<std::string> violations(const tern::testing::TestResponse& response) {
  std::vector<std::string> list;
  if (response.status != 422) return {"status " + std::to_string(response.status) + " " + response.body};
  for (const Entry& error : response.json<Answer>().errors) {
    list.push_back(error.in + " " + error.pointer + " " + error.code +
                   (error.expected ? " " + error.expected->text : ""));
  }
  return list;
}
using List = std::vector<std::string>;

TEST(RulesOfRequests, hold_for_a_query) {
  App app;
  app.get("/", [](tern::Query<Filter> filter) { return filter->text; });
  Client client(app);
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_EQ(client.get("/?text=abc&from=1&to=2&tag=a&tag=b&sort=year&scale=1.5&seed=18446744073709551614").body, "abc");
  EXPECT_EQ(violations(client.get("/?text=a&from=-1&to=x&tag=a&tag=&tag=b&tag=a&sort=price&scale=0.3"
                                  "&seed=18446744073709551615")),
            (List{"query text min_length 2", "query from minimum 0", "query to type", "query tag max_items 3",
                  "query tag unique_items true", "query tag min_length 1", R"(query sort one_of ["title","year"])",
                  "query seed maximum 18446744073709551614", "query scale multiple_of 0.5"}));
  EXPECT_EQ(violations(client.get("/?from=5&to=4")), (List{"query to to_after_from"}));
  EXPECT_EQ(violations(client.get("/?scale=-1&from=5&to=4")), (List{"query scale exclusive_minimum 0"}));
  EXPECT_EQ(violations(client.get("/?scale=nan")), (List{"query scale type"}));
}

TEST(RulesOfRequests, see_a_float_as_it_is_written) {
  App app;
  app.get("/", [](tern::Query<Share>) { return "x"; });
  Client client(app);
  for (const char* const part : {"0.1", "0.3", "0.7", "-1e1"}) {
    EXPECT_EQ(client.get("/?steps=0.1&steps=0.25&part=" + std::string(part)).status, 200) << part;
  }
  EXPECT_EQ(violations(client.get("/?part=0.15&steps=0.2")),
            (List{"query part multiple_of 0.1", "query steps one_of [0.1,0.25]"}));
  EXPECT_EQ(violations(client.get("/?part=0.8&steps=0.1")), (List{"query part maximum 0.7"}));
}

TEST(RulesOfRequests, hold_for_a_form) {
  App app;
  app.post("/", [](tern::Form<Filter> filter) { return filter->text; });
  Client client(app);
  const auto post = [&](const std::string& form) {
    return client.post("/", form, "application/x-www-form-urlencoded");
  };
  EXPECT_EQ(post("text=%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4").status, 200) << "five code points";
  EXPECT_EQ(violations(post("text=%C3%A4&from=-1")), (List{"form text min_length 2", "form from minimum 0"}));
}

TEST(RulesOfRequests, hold_for_each_parameter_by_its_type) {
  App app;
  app.get("/books/{isbn}", [](const Isbn& isbn, Page page, const Tags&, std::optional<Tenant>, std::optional<Token>) {
    return *isbn + " " + std::to_string(*page);
  });
  Client client(app);
  EXPECT_EQ(client.get("/books/9780441013593").body, "9780441013593 1");
  EXPECT_EQ(violations(client.send({.target = "/books/978?page=0&tag=1&tag=-2&tag=3",
                                    .fields = {{"x-tenant", "me"}, {"cookie", "token=abc"}}})),
            (List{R"(path isbn pattern "^[0-9]{13}$")", "query page minimum 1", "query tag max_items 2",
                  "query tag minimum 0", R"(header X-Tenant format "uuid")", "cookie token min_length 4"}));
}

TEST(RulesOfRequests, are_reported_for_parameters_and_content_together) {
  App app;
  app.post("/{isbn}", [](const Isbn&, Page, tern::Json<tern::json::Raw>, tern::Json<NewBook>) { return "x"; });
  Client client(app);
  const auto answer = client.post("/1?page=101", R"({"title":"","year":"x","id":7})");
  EXPECT_EQ(violations(answer), (List{R"(path isbn pattern "^[0-9]{13}$")", "query page maximum 100",
                                      "body /title min_length 1", "body /year type"}));
  EXPECT_EQ(answer.json<Answer>().detail, "some parts of the request are wrong or missing");
  EXPECT_EQ(client.post("/1?page=101", R"({"title":"a"})").json<Answer>().detail,
            "some parameters are wrong or missing");
}

TEST(RulesOfRequests, keep_the_first_rejection_where_it_is_no_list) {
  App app;
  app.post("/", [](Page, tern::Json<NewBook>) { return "x"; });
  Client client(app);
  EXPECT_EQ(violations(client.post("/?page=0", "{")), (List{"query page minimum 1"}));
  EXPECT_EQ(violations(client.post("/?page=0", "a=b", "text/plain")), (List{"query page minimum 1"}));
  EXPECT_EQ(client.post("/", "{").status, 400);
}

struct Counted {};
struct Waiting {};
int calls = 0;

}  // namespace rules_in_requests

template <>
struct tern::Extract<rules_in_requests::Counted> {
  static std::expected<rules_in_requests::Counted, tern::Rejection> from(tern::Request&) {
    ++rules_in_requests::calls;
    return {};
  }
};
template <>
struct tern::Extract<rules_in_requests::Waiting> {
  static tern::Task<std::expected<rules_in_requests::Waiting, tern::Rejection>> from(tern::Request&) {
    ++rules_in_requests::calls;
    co_return rules_in_requests::Waiting{};
  }
};

namespace rules_in_requests {

TEST(RulesOfRequests, call_no_other_extractor_after_a_violation) {
  App app;
  app.post("/plain", [](Page, Counted, tern::Json<NewBook>) { return "x"; });
  app.post("/waiting", [](Page, Waiting, tern::Json<NewBook>) { return "x"; });
  Client client(app);
  calls = 0;
  for (const char* const path : {"/plain?page=0", "/waiting?page=0"}) {
    EXPECT_EQ(violations(client.post(path, R"({"title":""})")),
              (List{"query page minimum 1", "body /title min_length 1"}))
        << path;
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(client.post("/plain", R"({"title":"a"})").status, 200);
  EXPECT_EQ(client.post("/waiting", R"({"title":"a"})").status, 200);
  EXPECT_EQ(calls, 2);
}

TEST(RulesOfRequests, are_found_in_large_content_too) {
  App app;
  app.post("/", [](Page, tern::Json<Chapter>) { return "x"; });
  app.post("/waiting", [](Page, Waiting, tern::Json<Chapter>) { return "x"; });
  Client client(app);
  std::string content = R"({"books":[{"title":"","year":1})";
  for (int i = 0; i < 20'000; ++i) content += R"(,{"title":"a","year":1990})";
  content += "]}";
  for (const char* const path : {"/?page=0", "/waiting?page=0"}) {
    EXPECT_EQ(violations(client.post(path, content)),
              (List{"query page minimum 1", "body /books/0/title min_length 1", "body /books/0/year minimum 1450"}));
  }
  EXPECT_EQ(client.post("/?page=1", R"({"books":[]})").status, 200);
}

TEST(RulesOfRequests, list_at_most_a_hundred_violations) {
  App app;
  app.post("/", [](Page, tern::Json<Chapter>) { return "x"; });
  app.get("/", [](const tern::QueryParam<"x", std::vector<int>>&) { return "x"; });
  Client client(app);
  std::string content = R"({"books":[{"title":""})";
  for (int i = 0; i < 300; ++i) content += R"(,{"title":""})";
  EXPECT_EQ(violations(client.post("/?page=0", content + "]}")).size(), 100U);
  std::string query = "/?x=a";
  for (int i = 0; i < 300; ++i) query += "&x=a";
  EXPECT_EQ(violations(client.get(query)).size(), 100U);
}

TEST(RulesOfRequests, ignore_read_only_members_unless_unknown_ones_are_denied) {
  for (const bool deny : {false, true}) {
    App app;
    app.deny_unknown_members(deny);
    app.post("/", [](tern::Json<NewBook> book) { return book->id; });
    app.post("/request", [](Request& request) { return request.json<NewBook>().id; });
    Client client(app);
    for (const char* target : {"/", "/request"}) {
      const auto answer = client.post(target, R"({"id":7,"title":"a"})");
      if (deny) {
        EXPECT_EQ(violations(answer), (List{"body /id read_only"}));
      } else {
        EXPECT_EQ(answer.body, "0");
      }
    }
  }
}

TEST(RulesOfRequests, hold_for_a_form_with_files) {
  App app;
  app.post("/", [](tern::Multipart<Upload> upload) { return upload->name; });
  Client client(app);
  EXPECT_EQ(violations(client.post_form("/", {{"name", ""}})), (List{"form name min_length 1"}));
  EXPECT_EQ(client.post_form("/", {{"name", "x"}, {"files", "content", "a.txt"}}).body, "x");
}

TEST(RulesOfRequests, hold_in_middleware) {
  App app;
  app.use([](Page page, tern::Next next) {
    return *page == 99 ? tern::Reply(tern::Response(tern::Status::NoContent)) : next();
  });
  app.get("/", [](Page) { return "x"; });
  Client client(app);
  EXPECT_EQ(violations(client.get("/?page=0")), (List{"query page minimum 1"}));
  EXPECT_EQ(client.get("/?page=99").status, 204);
  EXPECT_EQ(client.get("/?page=1").body, "x");
}

TEST(RulesOfRequests, hold_for_messages_of_a_websocket) {
  struct Words {
    void message(tern::WebSocket& socket, const tern::Json<Word>& word) { static_cast<void>(socket.send(word->word)); }
  };
  App app;
  app.websocket("/", [] { return Words{}; });
  Client client(app);
  auto socket = client.websocket("/");
  socket.send(R"({"word":"abc"})");
  EXPECT_EQ(socket.receive_text(), "abc");
  socket.send(R"({"word":"abcd"})");
  EXPECT_EQ(socket.close_code(), 1007);
}

TEST(RulesOfRequests, have_messages_that_an_app_replaces) {
  App inner;
  inner.get("/", [](Page) { return "x"; });
  App app;
  app.on_violation([](const tern::ProblemItem& violation, const Request& request) -> std::string {
    if (request.field("accept-language") != "de" || violation.code != "maximum") return {};
    return "h\xC3\xB6"
           "chstens " +
           violation.expected;
  });
  app.get("/", [](Page) { return "x"; });
  app.mount("/inner", std::move(inner));
  Client client(app);
  for (const char* const path : {"/?page=101", "/inner/?page=101"}) {
    const auto german = client.send({.target = path, .fields = {{"accept-language", "de"}}});
    EXPECT_THAT(german.body, HasSubstr("\"detail\":\"h\xC3\xB6"
                                       "chstens 100\",\"pointer\":\"page\""))
        << path;
    EXPECT_THAT(client.get(path).body, HasSubstr(R"("detail":"must be at most 100")"));
  }
  const auto other = client.send({.target = "/?page=0", .fields = {{"accept-language", "de"}}});
  EXPECT_THAT(other.body, HasSubstr(R"("detail":"must be at least 1")"));
}

TEST(RulesOfRequests, whose_pattern_is_malformed_fail_the_start) {
  App app;
  app.post("/deep", [](std::optional<tern::Json<HoldsBadPattern>>) { return "x"; });
  try {
    Client client(app);
    FAIL() << "it started";
  } catch (const tern::SetupError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("POST '/deep': the pattern '[' of rules_in_requests::BadPattern::text is malformed: "
                          "missing ]: ["));
  }
}

TEST(RulesOfRequests, are_written_as_members_of_the_problem) {
  App app;
  app.get("/", [](Page) { return "x"; });
  const auto answer = Client(app).get("/?page=1000");
  EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  EXPECT_EQ(
      answer.body,
      R"({"type":"about:blank","title":"Unprocessable Content","status":422,)"
      R"("detail":"some parameters are wrong or missing","errors":[{"detail":"must be at most 100","pointer":"page",)"
      R"("in":"query","code":"maximum","expected":100}]})");
}

}  // namespace rules_in_requests
