// Rejected forms: every entry is fed whole, split at every byte, and byte by byte.
#include "http/multipart_feed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::multipart {
namespace {

using namespace std::string_literals;

struct Refusal {
  const char* what;
  std::string input;
  std::string transcript;
};

void check(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(testing::feed_every_way(refusal.input), refusal.transcript) << refusal.what;
  }
}

std::string head(std::string_view lines) {
  return "--b\r\n" + std::string(lines) + "\r\n\r\nx\r\n--b--\r\n";
}

std::string disposition(std::string_view value) {
  return head("Content-Disposition: " + std::string(value));
}

std::string with(std::string_view lines) {
  return disposition("form-data; name=a\r\n" + std::string(lines));
}

TEST(MultipartRefusal, boundary_lines) {
  const std::string more = "reject 400: a boundary is followed by more than the end of its line (RFC 2046, 5.1.1)";
  const std::string bare_lf = "reject 400: LF without CR around a part's head";
  const std::string bare_cr = "reject 400: CR without LF around a part's head";
  const std::string none = "reject 400: the content has no line with the announced boundary";
  const std::string open = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx";
  const std::string part = "part \"a\"\nx";
  check({
      {"nothing", "", none},
      {"another boundary", "--c\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--c--\r\n", none},
      {"a boundary within a line", "x--b--\r\n", none},
      {"a boundary behind a bare LF", "x\n--b--\r\n", none},
      {"a boundary behind a bare CR", "x\r--b--\r\n", none},
      {"a longer boundary", "--bb\r\n", more},
      {"text behind blanks", "--b x\r\n", more},
      {"one dash", "--b-\r\n", more},
      {"a blank between the dashes", "--b- -\r\n", more},
      {"a blank before the dashes", "--b --\r\n", more},
      {"three dashes", "--b---\r\n", more},
      {"text behind the last boundary", "--b--x", more},
      {"bare LF", "--b\n", bare_lf},
      {"bare LF behind blanks", "--b \n", bare_lf},
      {"bare LF behind the last boundary", "--b--\n", bare_lf},
      {"bare CR", "--b\rx", bare_cr},
      {"two CRs", "--b\r\r\n", bare_cr},
      {"bare CR behind the last boundary", "--b--\rx", bare_cr},
      {"a longer boundary behind a part", open + "\r\n--bb\r\n", part + more},
      {"bare LF behind the boundary behind a part", open + "\r\n--b\n", part + bare_lf},
      {"only bare LFs", "--b\nContent-Disposition: form-data; name=a\n\nx\n--b--\n", bare_lf},
      {"NUL", "--b\0\r\n"s, more},
  });
}

TEST(MultipartRefusal, heads) {
  const std::string field_line = "reject 400: a field line of a part is not a name, ':' and a value";
  const std::string control = "reject 400: a control byte in the head of a part";
  const std::string folded = "reject 400: a field line of a part begins with a blank";
  const std::string boundary = "reject 400: a boundary within the head of a part";
  const std::string good = "Content-Disposition: form-data; name=a";
  check({
      {"no head", "--b\r\n\r\nx\r\n--b--\r\n", "reject 400: a part without Content-Disposition (RFC 7578, 4.2)"},
      {"no Content-Disposition", head("Content-Type: text/plain"),
       "reject 400: a part without Content-Disposition (RFC 7578, 4.2)"},
      {"two", head(good + "\r\n" + good), "reject 400: a part with more than one Content-Disposition"},
      {"bare LF", head(good + "\n"), "reject 400: LF without CR around a part's head"},
      {"bare CR", head(good + "\rX: y"), "reject 400: CR without LF around a part's head"},
      {"CR CR LF", head(good + "\r"), "reject 400: CR without LF around a part's head"},
      {"NUL", head("X: \0"s), control},
      {"NUL in a name", head("Content-Disposition: form-data; name=\"a\0b\""s), control},
      {"NUL in a file name", head("Content-Disposition: form-data; name=a; filename=\"a.php\0.png\""s), control},
      {"DEL", head("X: \x7F"), control},
      {"ESC", head("X: \x1B[2J"), control},
      {"no colon", head("X"), field_line},
      {"no name", head(": x"), field_line},
      {"blank before the colon", head("X : y"), field_line},
      {"not a token", head("X\xC3\xA4: y"), field_line},
      {"folded", head(good + "\r\n ;filename=x"), folded},
      {"folded from the start", head(" " + good), folded},
      {"folded with HTAB", head("X: y\r\n\tz"), folded},
      {"the next boundary", "--b\r\n" + good + "\r\n--b\r\n" + good, boundary},
      {"the last boundary", "--b\r\n--b--\r\n", boundary},
      {"a boundary like a field", "--b\r\n--bc: x\r\n", boundary},
  });
}

TEST(MultipartRefusal, dispositions) {
  const std::string type = "reject 400: a part's Content-Disposition is not form-data (RFC 7578, 4.2)";
  const std::string malformed = "reject 400: a parameter of a part's Content-Disposition is malformed (RFC 2183, 2)";
  const std::string no_name = "reject 400: a part without a name (RFC 7578, 4.2)";
  const std::string two_files = "reject 400: a part with more than one file name";
  check({
      {"nothing", disposition(""), type},
      {"attachment", disposition("attachment; name=a"), type},
      {"file", disposition("file; filename=a"), type},
      {"form-data and more", disposition("form-data2; name=a"), type},
      {"no name", disposition("form-data"), no_name},
      {"only a file name", disposition("form-data; filename=a"), no_name},
      {"two names", disposition("form-data; name=a; NAME=a"), "reject 400: a part with more than one name"},
      {"two file names", disposition("form-data; name=a; filename=a; filename=b"), two_files},
      {"two coded file names", disposition("form-data; name=a; filename*=UTF-8''a; filename*=UTF-8''b"), two_files},
      {"no value", disposition("form-data; name="), malformed},
      {"no '='", disposition("form-data; name"), malformed},
      {"blanks around '='", disposition("form-data; name = a"), malformed},
      {"no ';'", disposition("form-data name=a"), malformed},
      {"',' for ';'", disposition("form-data, name=a"), malformed},
      {"not closed", disposition("form-data; name=\"a"), malformed},
      {"closed by an escape only", disposition("form-data; name=\"a\\\""), malformed},
      {"text behind the quotes", disposition("form-data; name=\"a\"b"), malformed},
      {"a quote within quotes", disposition("form-data; name=\"a\"b\"; filename=\"c\""), malformed},
      {"a token that is none", disposition("form-data; name=a/b"), malformed},
      {"UTF-8 without quotes", disposition("form-data; name=\xC3\xA4"), malformed},
      {"malformed behind the name", disposition("form-data; name=a; x"), malformed},
  });
}

TEST(MultipartRefusal, names) {
  const std::string bytes = "reject 400: the name of a part is not UTF-8, or has a control byte such as CR";
  const std::string file_bytes = "reject 400: the file name of a part is not UTF-8, or has a control byte such as CR";
  const std::string coded = "reject 400: a part's file name is not as RFC 5987, 3.2.1, encodes UTF-8";
  const std::string extended = "reject 400: a part's name in an encoding of its own (RFC 7578, 4.2)";
  const auto file = [](std::string_view parameter) {
    return disposition("form-data; name=a; " + std::string(parameter));
  };
  check({
      {"Latin-1", disposition("form-data; name=\"\xE4\""), bytes},
      {"overlong UTF-8", disposition("form-data; name=\"\xC0\xAF\""), bytes},
      {"a surrogate", disposition("form-data; name=\"\xED\xA0\x80\""), bytes},
      {"CR and LF", disposition("form-data; name=\"a%0D%0Ab\""), bytes},
      {"LF", disposition("form-data; name=\"a%0A\""), bytes},
      {"Latin-1 in a file name", file("filename=\"\xE4\""), file_bytes},
      {"an overlong '/'", file("filename=\"..\xC0\xAF\""), file_bytes},
      {"CR in a file name", file("filename=\"a%0Db\""), file_bytes},
      {"CR before a '/'", file("filename=\"a%0D/b\""), file_bytes},
      {"coded NUL", file("filename*=UTF-8''a%00b"), file_bytes},
      {"coded ESC", file("filename*=UTF-8''%1B"), file_bytes},
      {"coded Latin-1", file("filename*=UTF-8''%E4"), file_bytes},
      {"another charset", file("filename*=iso-8859-1''%E4"), coded},
      {"no charset", file("filename*=a"), coded},
      {"no language", file("filename*=UTF-8'a"), coded},
      {"in quotes", file("filename*=\"UTF-8''a\""), coded},
      {"half an escape", file("filename*=UTF-8''%4"), coded},
      {"a bad escape", file("filename*=UTF-8''%4G"), coded},
      {"a third quote", file("filename*=UTF-8''a'b"), coded},
      {"a star", file("filename*=UTF-8''a*b"), coded},
      {"the plain name is looked at too", file("filename*=UTF-8''a; filename=\"\xE4\""), file_bytes},
      {"name*", file("name*=UTF-8''b"), extended},
      {"only name*", disposition("form-data; name*=UTF-8''b"), extended},
      {"pieces", file("filename*0=a; filename*1=b"), extended},
      {"coded pieces", file("FileName*0*=UTF-8''a"), extended},
  });
}

TEST(MultipartRefusal, types_and_encodings) {
  const std::string type = "reject 400: the Content-Type of a part is malformed (RFC 9110, 8.3)";
  const std::string nested = "reject 415: a multipart within a part (RFC 7578, 4.3)";
  const std::string encoding = "reject 415: the Content-Transfer-Encoding of a part is not 7bit, 8bit or binary";
  check({
      {"empty", with("Content-Type:"), type},
      {"no subtype", with("Content-Type: text"), type},
      {"an empty subtype", with("Content-Type: text/"), type},
      {"two in one", with("Content-Type: text/plain, text/html"), type},
      {"a malformed parameter", with("Content-Type: text/plain; charset"), type},
      {"an empty charset", with("Content-Type: text/plain; charset=\"\""), type},
      {"a charset that is no token", with("Content-Type: text/plain; charset=\"a b\""), type},
      {"two charsets", with("Content-Type: text/plain; charset=a; charset=a"), type},
      {"twice", with("Content-Type: a/b\r\nContent-Type: a/b"), "reject 400: a part with more than one Content-Type"},
      {"multipart/mixed", with("Content-Type: multipart/mixed; boundary=c"), nested},
      {"multipart/form-data", with("Content-Type: Multipart/Form-Data; boundary=b"), nested},
      {"base64", with("Content-Transfer-Encoding: base64"), encoding},
      {"quoted-printable", with("content-transfer-encoding: Quoted-Printable"), encoding},
      {"no encoding", with("Content-Transfer-Encoding:"), encoding},
      {"two encodings in one", with("Content-Transfer-Encoding: binary, base64"), encoding},
      {"an encoding twice", with("Content-Transfer-Encoding: binary\r\nContent-Transfer-Encoding: binary"),
       "reject 400: a part with more than one Content-Transfer-Encoding"},
  });
}

}  // namespace
}  // namespace tern::multipart
