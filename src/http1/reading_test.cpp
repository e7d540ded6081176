// Accepted input and the parsed result: every entry is fed whole, split at every position, and byte by byte.
#include "http1/feed.hpp"

#include <tern/base/ascii.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::http1 {
namespace {

using namespace std::string_literals;
using testing::feed_every_way;
using testing::FeedOptions;

TEST(Http1Reading, a_request_without_content) {
  EXPECT_EQ(feed_every_way("GET /hello?x=1 HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n"),
            "GET /hello?x=1\n  Host: example.org\n  Accept: */*\n  content: \nwaiting for idle\n");
}

TEST(Http1Reading, blanks_around_values_are_taken_off_and_those_within_kept) {
  EXPECT_EQ(feed_every_way("GET / HTTP/1.1\r\nHost:a\r\nX: \t b \t c \t \r\nEmpty:\r\nBlank:  \r\nO: \xC3\xA4\r\n\r\n"),
            "GET /\n  Host: a\n  X: b \t c\n  Empty: \n  Blank: \n  O: \xC3\xA4\n  content: \nwaiting for idle\n");
}

TEST(Http1Reading, every_character_of_a_token_is_taken_in_a_name) {
  EXPECT_EQ(feed_every_way("GET / HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~09AZaz: b:c\r\n\r\n"),
            "GET /\n  Host: a\n  !#$%&'*+-.^_`|~09AZaz: b:c\n  content: \nwaiting for idle\n");
}

TEST(Http1Reading, http_1_0_without_host) {
  EXPECT_EQ(feed_every_way("GET / HTTP/1.0\r\n\r\n"), "GET / 1.0\n  content: \nclosed\n");
  EXPECT_EQ(feed_every_way("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
            "GET / 1.0\n  Connection: keep-alive\n  content: \nwaiting for idle\n");
}

TEST(Http1Reading, a_few_empty_lines_before_a_request) {
  EXPECT_EQ(feed_every_way("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n\r\n"),
            "GET /\n  Host: a\n  content: \nGET /2\n  Host: a\n  content: \nwaiting for idle\n");
}

TEST(Http1Reading, all_four_forms_of_target) {
  const std::string rest = " HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::string target :
       {"/", "//", "/a.b/c", "/.a", "/a/./b?c=/.d", "/a/b;c=d,e", "/%2F%c3%A4", "/?", "/?a=%zz&b=[1]|{}", "/[a]|b",
        "/a:b@c", "http://a", "HTTP://a:80/b", "https://[::1]:443?q", "http://a/%20"}) {
    EXPECT_EQ(feed_every_way("GET " + target + rest), "GET " + target + "\n  Host: a\n  content: \nwaiting for idle\n");
  }
  EXPECT_EQ(feed_every_way("OPTIONS *" + rest), "OPTIONS *\n  Host: a\n  content: \nwaiting for idle\n");
  EXPECT_EQ(feed_every_way("CONNECT a.b:443" + rest), "CONNECT a.b:443\n  Host: a\n  content: \nclosed\n");
}

// RFC 9110, section 2.5.
TEST(Http1Reading, a_higher_minor_version_is_taken_for_http_1_1) {
  EXPECT_EQ(feed_every_way("GET / HTTP/1.2\r\nHost: a\r\n\r\nGET /2 HTTP/1.9\r\nHost: a\r\n\r\n"),
            "GET /\n  Host: a\n  content: \nGET /2\n  Host: a\n  content: \nwaiting for idle\n");
  EXPECT_EQ(feed_every_way("GET / HTTP/1.2\r\n\r\n"), "reject 400: Host is missing (RFC 9112, 3.2)\nclosed\n");
}

// RFC 9110, sections 5.6.1.2 and 10.1.1.
TEST(Http1Reading, expectations_in_a_list) {
  for (const std::string value : {"", ",", "100-continue,", "100-continue, 100-Continue", " ,,100-continue"}) {
    EXPECT_EQ(feed_every_way("GET / HTTP/1.1\r\nHost: a\r\nExpect:" + value + "\r\n\r\n"),
              "GET /\n  Host: a\n  Expect: " + std::string(base::trim(value)) + "\n  content: \nwaiting for idle\n");
  }
}

TEST(Http1Reading, hosts_of_every_kind) {
  for (const std::string host : {"a", "a.b.c:8080", "a:", "127.0.0.1:0", "a_b", "%41", "[::]", "[::1]:65535",
                                 "[1:2:3:4:5:6:7:8]", "[::ffff:192.0.2.1]", "[1::8]", "[v1.a:b]"}) {
    EXPECT_EQ(feed_every_way("GET / HTTP/1.1\r\nhOST: " + host + "\r\n\r\n"),
              "GET /\n  hOST: " + host + "\n  content: \nwaiting for idle\n");
  }
}

TEST(Http1Reading, content_by_length) {
  EXPECT_EQ(
      feed_every_way("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 011\r\n\r\nhello\0\r\n\r\nxGET /2 HTTP/1.1\r\n"
                     "Host: a\r\n\r\n"s),
      "POST /\n  Host: a\n  Content-Length: 011\n  content: hello\0\r\n\r\nx\nGET /2\n  Host: a\n  content: \n"
      "waiting for idle\n"s);
  EXPECT_EQ(feed_every_way("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc"),
            "PUT /\n  Host: a\n  Content-Length: 5\nwaiting for body\n");
  EXPECT_EQ(feed_every_way("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
            "PUT /\n  Host: a\n  Content-Length: 0\n  content: \nwaiting for idle\n");
}

TEST(Http1Reading, content_in_chunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n";
  const std::string seen = "POST /\n  Host: a\n  Transfer-Encoding: Chunked\n";
  EXPECT_EQ(feed_every_way(head + "0\r\n\r\n"), seen + "  content: \nwaiting for idle\n");
  EXPECT_EQ(feed_every_way(head + "3\r\nabc\r\n00A\r\n0123456789\r\n0000000000000001\r\n\r\r\n0000\r\n\r\n"),
            seen + "  content: abc0123456789\r\nwaiting for idle\n");
  EXPECT_EQ(feed_every_way(head + "3;a\r\nabc\r\n2 ; b = c\t;d=\"e;\\\"\xC4\tf\"\r\nde\r\n0;last\r\n\r\n"),
            seen + "  content: abcde\nwaiting for idle\n");
  EXPECT_EQ(feed_every_way(head + "5\r\nab"), seen + "waiting for body\n");
  EXPECT_EQ(feed_every_way(head + "5\r\nabcde"), seen + "waiting for body\n");
  EXPECT_EQ(feed_every_way(head + "5\r\nabcde\r\n0\r\nA: b\r\n"), seen + "waiting for body\n");
  EXPECT_EQ(feed_every_way(head + "ffffffffffffffff\r\nabcde"), seen + "waiting for body\n");
}

TEST(Http1Reading, trailers_stay_apart_from_the_fields) {
  EXPECT_EQ(feed_every_way("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
                           "Content-Length: 7\r\nHost:  b \r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"),
            "POST /\n  Host: a\n  Transfer-Encoding: chunked\n  content: x\n"
            "  trailer Content-Length: 7\n  trailer Host: b\nGET /2\n  Host: a\n  content: \n"
            "waiting for idle\n");
}

TEST(Http1Reading, what_is_incomplete_waits) {
  EXPECT_EQ(feed_every_way(""), "waiting for idle\n");
  EXPECT_EQ(feed_every_way("\r\n"), "waiting for idle\n");
  EXPECT_EQ(feed_every_way("\r"), "waiting for head\n");
  EXPECT_EQ(feed_every_way("GET"), "waiting for head\n");
  EXPECT_EQ(feed_every_way("GET / HTTP/1.1\r\nHost: a\r\n"), "waiting for head\n");
  EXPECT_EQ(feed_every_way("GET / HTTP/1.1\r\nHost: a\r\n\r"), "waiting for head\n");
}

TEST(Http1Reading, nothing_is_read_behind_a_request_that_closes) {
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, ,CLOSE\r\n\r\n";
  EXPECT_EQ(feed_every_way(request + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"),
            "GET /\n  Host: a\n  Connection: x, ,CLOSE\n  content: \nclosed\n");
}

// --- Limits ---

std::string request_line(std::size_t size) {
  return "GET /" + std::string(size - 14, 'a') + " HTTP/1.1\r\n";
}

TEST(Http1Reading, extension_methods_are_read_as_they_are) {
  for (const std::string method : {"BREW", "get", "GETT", "QUER", "M-SEARCH", "!#$%&'*+-.^_`|~"}) {
    EXPECT_EQ(feed_every_way(method + " /pot?a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n"
                                      "Host: a\r\n\r\n")
                  .substr(0, method.size() + 7),
              method + " /pot?a");
  }
}

TEST(Http1Limits, a_request_line_as_long_as_allowed) {
  FeedOptions options;
  options.limits.request_line = 40;
  EXPECT_TRUE(feed_every_way(request_line(40) + "Host: a\r\n\r\n", options).starts_with("GET /aaa"));
  const std::string refused = "reject 414: the request line is too long\nclosed\n";
  EXPECT_EQ(feed_every_way(request_line(41) + "Host: a\r\n\r\n", options), refused);
  EXPECT_EQ(feed_every_way(request_line(41).substr(0, 41), options), refused);  // before its end has arrived
  EXPECT_EQ(feed_every_way(request_line(40).substr(0, 40), options), "waiting for head\n");
  EXPECT_EQ(feed_every_way("BREW " + request_line(41), options), refused);
  // A method longer than any known one is rejected before the line is too long (RFC 9112, section 3).
  const std::string unknown = "reject 501: the method is not known here\nclosed\n";
  EXPECT_EQ(feed_every_way(std::string(41, 'A'), options), unknown);
  EXPECT_EQ(feed_every_way(std::string(41, 'A') + " / HTTP/1.1\r\n", options), unknown);
}

TEST(Http1Limits, fields_as_large_as_allowed) {
  const std::string line = "GET / HTTP/1.1\r\n";
  const std::string fields = "Host: a\r\nX: 0123456789\r\n";
  const std::string refused = "reject 431: the fields are too large\nclosed\n";
  FeedOptions options;
  options.limits.fields = fields.size();
  EXPECT_TRUE(feed_every_way(line + fields + "\r\n", options).starts_with("GET /\n"));
  EXPECT_EQ(feed_every_way(line + fields + "Y: b\r\n\r\n", options), refused);
  options.limits.fields = fields.size() - 2;  // the CRLF of the line does not count
  EXPECT_TRUE(feed_every_way(line + fields + "\r\n", options).starts_with("GET /\n"));
  options.limits.fields = fields.size() - 3;
  EXPECT_EQ(feed_every_way(line + fields + "\r\n", options), refused);
  EXPECT_EQ(feed_every_way(line + "X: " + std::string(100, 'x'), options), refused);
}

TEST(Http1Limits, as_many_fields_as_allowed) {
  FeedOptions options;
  options.limits.field_count = 3;
  const std::string three = "GET / HTTP/1.1\r\nHost: a\r\nA:\r\nB:\r\n";
  EXPECT_TRUE(feed_every_way(three + "\r\n", options).starts_with("GET /\n"));
  EXPECT_EQ(feed_every_way(three + "C:\r\n\r\n", options), "reject 431: too many fields\nclosed\n");
}

TEST(Http1Limits, trailers) {
  FeedOptions options;
  options.limits.trailers = 10;
  options.limits.field_count = 3;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  const std::string seen = "POST /\n  Host: a\n  Transfer-Encoding: chunked\n";
  EXPECT_EQ(feed_every_way(head + "A:\r\nB:\r\n\r\n", options),
            seen + "  content: \n  trailer A: \n  trailer B: \nwaiting for idle\n");
  EXPECT_EQ(feed_every_way(head + "A: 0123456789\r\n\r\n", options),
            seen + "reject 431: the trailers are too large\nclosed\n");
  EXPECT_EQ(feed_every_way(head + "A: 12\r\nB: 1\r\n\r\n", options),
            seen + "reject 431: the trailers are too large\nclosed\n");
  options.limits.trailers = 1000;
  EXPECT_EQ(feed_every_way(head + "A:\r\nA:\r\nA:\r\nA:\r\n\r\n", options),
            seen + "reject 431: too many trailers\nclosed\n");
}

TEST(Http1Limits, chunk_extensions_that_content_does_not_earn) {
  FeedOptions options;
  options.limits.chunk_extensions = 8;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string seen = "POST /\n  Host: a\n  Transfer-Encoding: chunked\n";
  const std::string refused = seen + "reject 400: the chunk extensions are too large\nclosed\n";
  EXPECT_EQ(feed_every_way(head + "1;234567\r\nx\r\n0\r\n\r\n", options), seen + "  content: x\nwaiting for idle\n");
  EXPECT_EQ(feed_every_way(head + "1;23456789\r\nx\r\n0\r\n\r\n", options), refused);
  EXPECT_EQ(feed_every_way(head + "1;2345\r\nx\r\n1;2345\r\nx\r\n0\r\n\r\n", options), refused);
  EXPECT_EQ(feed_every_way(head + "1;" + std::string(40, 'x'), options),
            refused);  // before the end of the line has arrived
}

TEST(Http1Limits, chunk_extensions_of_an_upload_that_signs_each_chunk) {
  FeedOptions options;
  options.limits.chunk_extensions = 16;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string chunks;
  std::string content;
  for (int i = 0; i < 20; ++i) {
    chunks += "40;a=b\r\n" + std::string(64, 'x') + "\r\n";  // four bytes, which 64 bytes of content earn
    content += std::string(64, 'x');
  }
  EXPECT_EQ(feed_every_way(head + chunks + "0\r\n\r\n", options),
            "POST /\n  Host: a\n  Transfer-Encoding: chunked\n  content: " + content + "\nwaiting for idle\n");
}

}  // namespace
}  // namespace tern::http1
