// Rejected input: every entry is fed whole, split at every byte, and byte by byte.
#include "http1/feed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::http1 {
namespace {

using namespace std::string_literals;
using testing::feed_every_way;

struct Refusal {
  const char* what;
  std::string input;
  std::string transcript;  // without its last line, "closed"
};

std::string with_fields(std::string_view fields, std::string_view version = "1.1") {
  return "POST / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string chunked(std::string_view content) {
  return with_fields("Transfer-Encoding: chunked\r\n") + std::string(content);
}

const std::string accepted = "POST /\n  Host: a\n  Transfer-Encoding: chunked\n";

void check(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(feed_every_way(refusal.input), refusal.transcript + "closed\n") << refusal.what;
  }
}

TEST(Http1Refusal, request_lines) {
  const std::string malformed = "reject 400: the request line is not method, target and version (RFC 9112, 3)\n";
  const std::string method = "reject 400: the method is not a token (RFC 9110, 9.1)\n";
  const std::string version = "reject 400: the HTTP version is malformed (RFC 9112, 2.3)\n";
  const std::string control = "reject 400: a control byte where none may be (RFC 9110, 5.5)\n";
  const std::string byte = "reject 400: the target holds a byte that a URI may not (RFC 9112, 3.2)\n";
  check({
      {"no method", " / HTTP/1.1\r\n", method},
      {"bad method bytes", "G@T / HTTP/1.1\r\n", method},
      {"method with obs-text", "G\xC4T / HTTP/1.1\r\n", method},
      {"method alone", "GET\r\n", method},
      {"HTAB behind the method", "GET\t/ HTTP/1.1\r\n", method},
      {"HTTP/0.9", "GET /\r\n", malformed},
      {"no target", "GET HTTP/1.1\r\n", malformed},
      {"empty target", "GET  HTTP/1.1\r\n", malformed},
      {"two blanks before the target", "GET  / HTTP/1.1\r\n",
       "reject 400: the target has no form that this method "
       "takes (RFC 9112, 3.2)\n"},
      {"two blanks behind the target", "GET /  HTTP/1.1\r\n", byte},
      {"blank in the target", "GET /a b HTTP/1.1\r\n", byte},
      {"HTAB in the target", "GET /a\tb HTTP/1.1\r\n", byte},
      {"obs-text in the target", "GET /\xC3\xA4 HTTP/1.1\r\n", byte},
      {"obs-text in the query", "GET /?\xC3\xA4 HTTP/1.1\r\n", byte},
      {"blank at the end", "GET / HTTP/1.1 \r\n", malformed},
      {"HTAB before the version", "GET /\tHTTP/1.1\r\n", version},
      {"lower-case protocol", "GET / http/1.1\r\n", version},
      {"no minor version", "GET /long/enough HTTP/1\r\n", version},
      {"two-digit version", "GET / HTTP/1.10\r\n", malformed},
      {"letter in the version", "GET / HTTP/1.x\r\n", version},
      {"other protocol", "GET / HTTPS/1.1\r\n", malformed},
      {"NUL in the request line", "GET /\0 HTTP/1.1\r\n"s, control},
      {"ESC in the request line", "GET /\x1b HTTP/1.1\r\n", control},
      {"DEL in the request line", "GET /\x7f HTTP/1.1\r\n", control},
      {"LF alone ends the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n",
       "reject 400: LF without CR (RFC 9112, 2.2)\n"},
      {"CR alone in the request line", "GET /\r HTTP/1.1\r\n", "reject 400: CR without LF (RFC 9112, 2.2)\n"},
      {"two CR", "GET / HTTP/1.1\r\r\n", "reject 400: CR without LF (RFC 9112, 2.2)\n"},
      {"LF first", "\nGET / HTTP/1.1\r\n", "reject 400: LF without CR (RFC 9112, 2.2)\n"},
      {"many empty lines", "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n",
       "reject 400: too many empty lines before the request line (RFC 9112, 2.2)\n"},
      {"TLS ClientHello", "\x16\x03\x01\x02\x05\x01\x00\x02\x01\x03\x03"s, control},
      {"TLS, only its first byte", "\x16", control},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
       "reject 505: only HTTP/1.1 and HTTP/1.0 are spoken here\n"},
  });
}

TEST(Http1Refusal, other_versions_and_methods_by_name) {
  const std::string version = "reject 505: only HTTP/1.1 and HTTP/1.0 are spoken here\n";
  check({
      {"HTTP/0.9 by name", "GET / HTTP/0.9\r\n", version},
      {"HTTP/2.0", "GET / HTTP/2.0\r\n", version},
      {"HTTP/3.0", "GET / HTTP/3.0\r\n", version},
      {"HTTP/9.1", "GET / HTTP/9.1\r\n", version},
      {"other version, malformed target", "GET /a b HTTP/2.0\r\n",
       "reject 400: the request line is not method, target and version (RFC 9112, 3)\n"},
      {"extension method, malformed target", "BREW /a b HTTP/1.1\r\n",
       "reject 400: the request line is not method, target and version (RFC 9112, 3)\n"},
  });
}

TEST(Http1Refusal, targets) {
  const std::string form = "reject 400: the target has no form that this method takes (RFC 9112, 3.2)\n";
  const std::string authority = "reject 400: the target's authority is malformed (RFC 9112, 3.2)\n";
  const std::string escape = "reject 400: a malformed percent escape in the path (RFC 3986, 2.1)\n";
  const std::string fragment = "reject 400: the target has a fragment (RFC 9112, 3.2)\n";
  check({
      {"relative", "GET a/b HTTP/1.1\r\n", form},
      {"other scheme", "GET ftp://a/ HTTP/1.1\r\n", form},
      {"asterisk with GET", "GET * HTTP/1.1\r\n", form},
      {"more than an asterisk", "OPTIONS *x HTTP/1.1\r\n", form},
      {"authority with GET", "GET a:80 HTTP/1.1\r\n", form},
      {"path with CONNECT", "CONNECT /a HTTP/1.1\r\n", authority},
      {"CONNECT without a port", "CONNECT example.org HTTP/1.1\r\n", authority},
      {"CONNECT with an empty port", "CONNECT example.org: HTTP/1.1\r\n", authority},
      {"absolute without a host", "GET http:///a HTTP/1.1\r\n", authority},
      {"absolute with user information", "GET http://u@a/ HTTP/1.1\r\n", authority},
      {"absolute with a bad port", "GET http://a:x/ HTTP/1.1\r\n", authority},
      {"escape cut short", "GET /% HTTP/1.1\r\n", escape},
      {"escape with one digit", "GET /%4 HTTP/1.1\r\n", escape},
      {"escape with other letters", "GET /%zz HTTP/1.1\r\n", escape},
      {"escape of another kind", "GET /%u0041 HTTP/1.1\r\n", escape},
      {"bad escape in an absolute form", "GET http://a/%z1 HTTP/1.1\r\n", escape},
      {"NUL in the path", "GET /a%00b HTTP/1.1\r\n", "reject 400: NUL in the path\n"},
      {"fragment behind the path", "GET /a#b HTTP/1.1\r\n", fragment},
      {"fragment behind the query", "GET /a?b#c HTTP/1.1\r\n", fragment},
      {"fragment behind an authority", "GET http://a#b HTTP/1.1\r\n", fragment},
  });
}

TEST(Http1Refusal, field_lines) {
  const std::string line = "GET / HTTP/1.1\r\n";
  const std::string folded = "reject 400: a field line that begins with a blank (RFC 9112, 5.2)\n";
  const std::string control = "reject 400: a control byte where none may be (RFC 9110, 5.5)\n";
  const std::string bare_cr = "reject 400: CR without LF (RFC 9112, 2.2)\n";
  const std::string bare_lf = "reject 400: LF without CR (RFC 9112, 2.2)\n";
  const std::string name = "reject 400: a field's name is not a token (RFC 9110, 5.1)\n";
  check({
      {"blank before the colon", line + "Host : a\r\n",
       "reject 400: a blank between a field's name and its colon (RFC 9112, 5.1)\n"},
      {"HTAB before the colon", line + "Host\t: a\r\n",
       "reject 400: a blank between a field's name and its colon (RFC 9112, 5.1)\n"},
      {"leading blank on the first field", line + " Host: a\r\n", folded},
      {"leading HTAB on the first field", line + "\tHost: a\r\n", folded},
      {"a line of blanks", line + " \r\nHost: a\r\n", folded},
      {"obs-fold", line + "Host: a\r\nX: b\r\n c\r\n", folded},
      {"obs-fold with HTAB", line + "Host: a\r\nX: b\r\n\tc\r\n", folded},
      {"empty name", line + ": a\r\n", "reject 400: a field without a name (RFC 9112, 5)\n"},
      {"no colon", line + "Host\r\n", "reject 400: a field line without a colon (RFC 9112, 5)\n"},
      {"no colon, other bytes", line + "a b\r\n", "reject 400: a field line without a colon (RFC 9112, 5)\n"},
      {"blank within the name", line + "A B: c\r\n",
       "reject 400: a blank between a field's name and its colon (RFC 9112, 5.1)\n"},
      {"separator in the name", line + "A(B): c\r\n", name},
      {"obs-text in the name", line + "\xC4: c\r\n", name},
      {"NUL in a name", line + "A\0B: c\r\n"s, control},
      {"NUL in a value", line + "A: b\0c\r\n"s, control},
      {"control byte in a value", line + "A: b\x01\r\n", control},
      {"DEL in a value", line + "A: b\x7f\r\n", control},
      {"CR in a value", line + "A: b\rc\r\n", bare_cr},
      {"CR at the end of a value", line + "A: b\r\r\n", bare_cr},
      {"LF ends a field", line + "A: b\nHost: a\r\n\r\n", bare_lf},
      {"LF ends the head", line + "Host: a\r\n\n", bare_lf},
      {"CR ends the head", line + "Host: a\r\n\rX", bare_cr},
  });
}

TEST(Http1Refusal, hosts) {
  const std::string malformed = "reject 400: Host is malformed (RFC 9112, 3.2)\n";
  const std::string two = "reject 400: more than one Host (RFC 9112, 3.2)\n";
  const std::string line = "GET / HTTP/1.1\r\n";
  check({
      {"missing", line + "\r\n", "reject 400: Host is missing (RFC 9112, 3.2)\n"},
      {"missing with other fields", line + "Accept: */*\r\n\r\n", "reject 400: Host is missing (RFC 9112, 3.2)\n"},
      {"missing with an absolute target", "GET http://a/ HTTP/1.1\r\n\r\n",
       "reject 400: Host is missing (RFC 9112, 3.2)\n"},
      {"twice", line + "Host: a\r\nHost: b\r\n", two},
      {"twice the same", line + "Host: a\r\nhost: a\r\n", two},
      {"twice on 1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n", two},
      {"empty", line + "Host:\r\n", malformed},
      {"blanks", line + "Host:  \t\r\n", malformed},
      {"empty on 1.0", "GET / HTTP/1.0\r\nHost:\r\n", malformed},
      {"only a port", line + "Host: :80\r\n", malformed},
      {"bad port", line + "Host: a:b\r\n", malformed},
      {"port too large", line + "Host: a:65536\r\n", malformed},
      {"two ports", line + "Host: a:1:2\r\n", malformed},
      {"path", line + "Host: a/b\r\n", malformed},
      {"user information", line + "Host: u@a\r\n", malformed},
      {"list", line + "Host: a, b\r\n", malformed},
      {"blank within", line + "Host: a b\r\n", malformed},
      {"obs-text", line + "Host: \xC3\xA4\r\n", malformed},
      {"bad escape", line + "Host: a%2\r\n", malformed},
      {"bracket not closed", line + "Host: [::1\r\n", malformed},
      {"no address in the brackets", line + "Host: [a.b]\r\n", malformed},
      {"text behind the bracket", line + "Host: [::1]x\r\n", malformed},
  });
}

TEST(Http1Refusal, content_lengths) {
  const std::string malformed = "reject 400: Content-Length is malformed (RFC 9110, 8.6)\n";
  const std::string two = "reject 400: more than one Content-Length (RFC 9112, 6.3)\n";
  for (const char* value : {"", " ", "+1", "-1", "0x10", "1,1", "1, 1", "1 1", "1;", "1.0", "1e3", "a", "\xb2",
                            "18446744073709551616", "99999999999999999999", "00000000000000000001"}) {
    const std::string input = with_fields("Content-Length: " + std::string(value) + "\r\n");
    EXPECT_EQ(feed_every_way(input), malformed + "closed\n") << value;
  }
  check({
      {"two different", with_fields("Content-Length: 1\r\nContent-Length: 2\r\n"), two},
      {"two alike", with_fields("Content-Length: 1\r\ncontent-length: 1\r\n"), two},
  });
}

TEST(Http1Refusal, transfer_encodings) {
  const std::string both = "reject 400: Content-Length with Transfer-Encoding (RFC 9112, 6.1)\n";
  const std::string other = "reject 400: chunked is not the last transfer coding (RFC 9112, 6.3)\n";
  const std::string unknown = "reject 501: a transfer coding other than chunked (RFC 9112, 6.1)\n";
  check({
      {"behind a length", with_fields("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), both},
      {"before a length", with_fields("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), both},
      {"with a length of none", with_fields("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), both},
      {"on HTTP/1.0", with_fields("Transfer-Encoding: chunked\r\n", "1.0"),
       "reject 400: Transfer-Encoding with HTTP/1.0 (RFC 9112, 6.1)\n"},
      {"two lines", with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       "reject 400: more than one Transfer-Encoding (RFC 9112, 6.1)\n"},
      {"empty", with_fields("Transfer-Encoding:\r\n"), other},
      {"identity", with_fields("Transfer-Encoding: identity\r\n"), other},
      {"gzip", with_fields("Transfer-Encoding: gzip\r\n"), other},
      {"gzip, then chunked", with_fields("Transfer-Encoding: gzip, chunked\r\n"), unknown},
      {"two, then chunked", with_fields("Transfer-Encoding: a;b=c , gzip,Chunked\r\n"), unknown},
      {"what is no token, then chunked", with_fields("Transfer-Encoding: a b, chunked\r\n"), other},
      {"an empty element, then chunked", with_fields("Transfer-Encoding: , chunked\r\n"), other},
      {"chunked, then gzip", with_fields("Transfer-Encoding: chunked, gzip\r\n"), other},
      {"chunked twice", with_fields("Transfer-Encoding: chunked, chunked\r\n"), other},
      {"an empty element", with_fields("Transfer-Encoding: chunked,\r\n"), other},
      {"a parameter", with_fields("Transfer-Encoding: chunked;q=1\r\n"), other},
      {"a vertical tab",
       with_fields("Transfer-Encoding: \x0b"
                   "chunked\r\n"),
       "reject 400: a control byte where none may be (RFC 9110, 5.5)\n"},
      {"more letters", with_fields("Transfer-Encoding: xchunked\r\n"), other},
      {"quoted", with_fields("Transfer-Encoding: \"chunked\"\r\n"), other},
  });
}

TEST(Http1Refusal, connection_options_and_expectations) {
  const std::string malformed = "reject 400: Connection is malformed (RFC 9110, 7.6.1)\n";
  check({
      {"not a token", with_fields("Connection: close;x\r\n"), malformed},
      {"two words", with_fields("Connection: keep alive\r\n"), malformed},
      {"other expectation", with_fields("Expect: 200-ok\r\n"), "reject 417: an expectation other than 100-continue\n"},
      {"other expectation in a list", with_fields("Expect: 100-continue, 200-ok\r\n"),
       "reject 417: an expectation other than 100-continue\n"},
  });
}

TEST(Http1Refusal, chunk_framing) {
  const std::string size = accepted + "reject 400: a chunk's size is malformed (RFC 9112, 7.1)\n";
  const std::string extension = accepted + "reject 400: a chunk extension is malformed (RFC 9112, 7.1.1)\n";
  const std::string end = accepted + "reject 400: a chunk's data does not end in CRLF (RFC 9112, 7.1)\n";
  const std::string bare_lf = accepted + "reject 400: LF without CR (RFC 9112, 2.2)\n";
  const std::string bare_cr = accepted + "reject 400: CR without LF (RFC 9112, 2.2)\n";
  const std::string control = accepted + "reject 400: a control byte where none may be (RFC 9110, 5.5)\n";
  check({
      {"empty size", chunked("\r\n"), size},
      {"only an extension", chunked(";a\r\n"), size},
      {"signed", chunked("+1\r\n"), size},
      {"negative", chunked("-1\r\n"), size},
      {"0x", chunked("0x1\r\n"), size},
      {"leading blank", chunked(" 1\r\n"), size},
      {"blank behind", chunked("1 \r\n"), size},
      {"HTAB behind", chunked("1\t\r\n"), size},
      {"not a digit", chunked("1g\r\n"), size},
      {"obs-text", chunked("1\xb2\r\n"), size},
      {"over 16 digits", chunked("00000000000000001\r\n"), size},
      {"overflow", chunked("10000000000000000\r\n"), size},
      {"LF ends the size", chunked("1\nx\r\n"), bare_lf},
      {"CR ends the size", chunked("1\rx\r\n"), bare_cr},
      {"NUL in the size", chunked("1\0\r\n"s), control},
      {"data too long", chunked("1\r\nxy\r\n"), end},
      {"LF behind the data", chunked("1\r\nx\n"), end},
      {"CR alone behind the data", chunked("1\r\nx\rz"), end},
      {"the next size at once", chunked("1\r\nx0\r\n"), end},
      {"extension without a name", chunked("1;\r\nx"), extension},
      {"extension without a value", chunked("1;a=\r\nx"), extension},
      {"extension with a blank at its end", chunked("1;a \r\nx"), extension},
      {"extension with an open quote", chunked("1;a=\"b\r\nx"), extension},
      {"extension with an open quote behind a backslash", chunked("1;a=\"b\\\"\r\nx"), extension},
      {"extension with other bytes", chunked("1;a,b\r\nx"), extension},
      {"control byte in an extension", chunked("1;a=\"\x01\"\r\nx"), control},
      {"LF in an extension", chunked("1;a\nx"), bare_lf},
  });
}

TEST(Http1Refusal, trailer_sections) {
  check({
      {"folded", chunked("0\r\nA: b\r\n c\r\n\r\n"),
       accepted + "reject 400: a field line that begins with a blank (RFC 9112, 5.2)\n"},
      {"no colon", chunked("0\r\nA\r\n\r\n"), accepted + "reject 400: a field line without a colon (RFC 9112, 5)\n"},
      {"blank before the colon", chunked("0\r\nA : b\r\n\r\n"),
       accepted + "reject 400: a blank between a field's name and its colon (RFC 9112, 5.1)\n"},
      {"NUL", chunked("0\r\nA: \0\r\n\r\n"s),
       accepted + "reject 400: a control byte where none may be (RFC 9110, 5.5)\n"},
      {"LF ends it", chunked("0\r\n\n"), accepted + "reject 400: LF without CR (RFC 9112, 2.2)\n"},
      {"CR ends it", chunked("0\r\n\rX"), accepted + "reject 400: CR without LF (RFC 9112, 2.2)\n"},
  });
}

TEST(Http1Refusal, answers_the_good_requests_of_a_pipeline_first) {
  const std::string good = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string body = "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
  EXPECT_EQ(feed_every_way(good + body + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" + good),
            "GET /1\n  Host: a\n  content: \n"
            "POST /2\n  Host: a\n  Content-Length: 2\n  content: hi\n"
            "reject 400: a blank between a field's name and its colon (RFC 9112, 5.1)\n"
            "closed\n");
}

}  // namespace
}  // namespace tern::http1
