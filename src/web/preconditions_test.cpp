#include "web/preconditions.hpp"

#include "web/file_testing.hpp"
#include "web/http_date.hpp"

#include <tern/http/memory_exchange.hpp>

#include <gmock/gmock.h>

#include <string>

namespace tern::testing {
namespace {

using web::parse_http_date;

constexpr std::int64_t now = 1'800'000'000;

TEST(HttpDate, has_three_formats) {
  for (const char* text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(text, now), 784'111'777) << text;
  }
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT", now), 0);
  EXPECT_EQ(parse_http_date("Thu Jan 21 00:00:00 1999", now), 916'876'800);
}

TEST(HttpDate, two_digits_of_a_year_are_at_most_50_years_ahead) {
  EXPECT_GT(parse_http_date("Sunday, 06-Nov-76 08:49:37 GMT", now), now);
  EXPECT_LT(parse_http_date("Sunday, 06-Nov-78 08:49:37 GMT", now), now);
}

TEST(HttpDate, anything_else_is_none) {
  for (const char* text :
       {"", " ", "0", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "99999999999999999999999999999999"}) {
    EXPECT_FALSE(parse_http_date(text, now)) << text;
  }
}

using Fields = std::vector<std::pair<std::string, std::string>>;

// "text", of 06 Nov 1994.
class Conditions : public ServedFolderTest {
protected:
  Conditions() {
    write("a.txt", "text", 784'111'777);
    etag = get("/a.txt").field("etag");
  }
  int status_of(const Fields& fields) { return get("/a.txt", fields).status; }

  std::string etag;
  const std::string same = "Sun, 06 Nov 1994 08:49:37 GMT";
  const std::string before = "Sun, 06 Nov 1994 08:49:36 GMT";
  const std::string after = "Sun, 06 Nov 1994 08:49:38 GMT";
};

TEST_F(Conditions, if_none_match_compares_weakly) {
  EXPECT_EQ(status_of({{"if-none-match", etag}}), 304);
  EXPECT_EQ(status_of({{"if-none-match", "W/" + etag}}), 304);
  EXPECT_EQ(status_of({{"if-none-match", "\"a\", W/\"b,c\" ," + etag}}), 304);
  EXPECT_EQ(status_of({{"if-none-match", "\"a\""}, {"if-none-match", etag}}), 304);
  EXPECT_EQ(status_of({{"if-none-match", "*"}}), 304);
  EXPECT_EQ(head("/a.txt", {{"if-none-match", etag}}).status, 304);
  for (const std::string& other :
       {std::string("\"a\""), std::string("W/"), std::string("\""), std::string("a"), etag.substr(1),
        etag.substr(0, etag.size() - 1), "w/" + etag, std::string("\"*\""), "a, " + etag, std::string(",,,")}) {
    EXPECT_EQ(status_of({{"if-none-match", other}}), 200) << other;
  }
}

TEST_F(Conditions, a_304_repeats_what_caches_need_and_has_no_content) {
  write("page.html", "<p>");
  const TestResponse whole = get("/page.html");
  const TestResponse response = get("/page.html", {{"if-none-match", std::string(whole.field("etag"))}});
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.body, "");
  for (const char* name : {"etag", "vary", "cache-control"}) EXPECT_EQ(response.field(name), whole.field(name)) << name;
  for (const char* name : {"content-type", "content-length", "last-modified"}) EXPECT_FALSE(response.has(name)) << name;
}

TEST_F(Conditions, if_modified_since_counts_without_if_none_match) {
  EXPECT_EQ(status_of({{"if-modified-since", same}}), 304);
  EXPECT_EQ(status_of({{"if-modified-since", after}}), 304);
  EXPECT_EQ(status_of({{"if-modified-since", before}}), 200);
  EXPECT_EQ(status_of({{"if-modified-since", "yesterday"}}), 200);
  EXPECT_EQ(status_of({{"if-modified-since", same}, {"if-none-match", "\"a\""}}), 200);
  EXPECT_EQ(status_of({{"if-modified-since", before}, {"if-none-match", etag}}), 304);
}

TEST_F(Conditions, if_match_compares_strongly) {
  EXPECT_EQ(status_of({{"if-match", etag}}), 200);
  EXPECT_EQ(status_of({{"if-match", "\"a\"," + etag}}), 200);
  EXPECT_EQ(status_of({{"if-match", "*"}}), 200);
  EXPECT_EQ(status_of({{"if-match", "W/" + etag}}), 412);
  EXPECT_EQ(status_of({{"if-match", "\"a\""}}), 412);
  EXPECT_EQ(status_of({{"if-match", "garbage"}}), 412);
  EXPECT_EQ(status_of({{"if-match", etag}, {"if-none-match", etag}}), 304);
}

TEST_F(Conditions, if_unmodified_since_counts_without_if_match) {
  EXPECT_EQ(status_of({{"if-unmodified-since", same}}), 200);
  EXPECT_EQ(status_of({{"if-unmodified-since", before}}), 412);
  EXPECT_EQ(status_of({{"if-unmodified-since", "garbage"}}), 200);
  EXPECT_EQ(status_of({{"if-unmodified-since", before}, {"if-match", etag}}), 200);
}

TEST_F(Conditions, lists_of_thousands_of_tags_are_read) {
  std::string list;
  for (int i = 0; i < 5000; ++i) list += "\"" + std::to_string(i) + "\", ";
  EXPECT_EQ(status_of({{"if-none-match", list}}), 200);
  EXPECT_EQ(status_of({{"if-none-match", list + etag}}), 304);
}

TEST_F(Conditions, dates_do_not_count_for_a_file_without_one) {
  write("b.txt", "text", 0);
  EXPECT_EQ(get("/b.txt", {{"if-modified-since", same}}).status, 200);
  EXPECT_EQ(get("/b.txt", {{"if-unmodified-since", before}}).status, 200);
}

TEST_F(Conditions, if_range_needs_the_strong_validator) {
  const auto status_with = [this](std::string_view validator) {
    return status_of({{"range", "bytes=0-1"}, {"if-range", std::string(validator)}});
  };
  EXPECT_EQ(status_with(etag), 206);
  EXPECT_EQ(status_with(same), 206);
  EXPECT_EQ(status_with("W/" + etag), 200);
  EXPECT_EQ(status_with("\"a\""), 200);
  EXPECT_EQ(status_with(before), 200);
  EXPECT_EQ(status_with(after), 200);
  EXPECT_EQ(status_with("garbage"), 200);
}

TEST_F(Conditions, a_date_is_no_strong_validator_within_its_second) {
  const web::Validators validators{"", 1000};
  MemoryExchange exchange(Method::Get, "/", {{"if-range", "Thu, 01 Jan 1970 00:16:40 GMT"}});
  EXPECT_FALSE(web::range_applies(exchange.request(), validators, 1000));
  EXPECT_FALSE(web::range_applies(exchange.request(), validators, 1001));
  EXPECT_TRUE(web::range_applies(exchange.request(), validators, 1002));
}

}  // namespace
}  // namespace tern::testing
