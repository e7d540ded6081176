// Accepted forms of browsers and other clients, split at every byte; truncated input; limits.
#include <tern/http/multipart_parser.hpp>

#include "http/multipart_feed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::multipart {
namespace {

using namespace std::string_literals;
using testing::feed_byte_by_byte;
using testing::feed_every_way;
using testing::feed_whole;
using testing::FeedOptions;

std::string part(std::string_view disposition, std::string_view content, std::string_view fields = "") {
  return "--b\r\nContent-Disposition: form-data; " + std::string(disposition) + "\r\n" + std::string(fields) + "\r\n" +
         std::string(content) + "\r\n";
}

const std::string last = "--b--\r\n";

TEST(MultipartParser, reads_what_chrome_sends) {
  const std::string_view boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
  const std::string input =
      "------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
      "Content-Disposition: form-data; name=\"title\"\r\n\r\n"
      "Smørrebrød\r\non rye\r\n"
      "------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
      "Content-Disposition: form-data; name=\"photos\"; filename=\"my %22best%22 photo.png\"\r\n"
      "Content-Type: image/png\r\n\r\n"
      "\x89PNG\r\n\x1A\n\0\0\r\n--\r\n"s
      "------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
      "Content-Disposition: form-data; name=\"photos\"; filename=\"日本.jpg\"\r\n"
      "Content-Type: image/jpeg\r\n\r\n"
      "\r\n"
      "------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
      "Content-Disposition: form-data; name=\"none\"; filename=\"\"\r\n"
      "Content-Type: application/octet-stream\r\n\r\n\r\n"
      "------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\n";
  EXPECT_EQ(
      feed_every_way(input, {.boundary = boundary}),
      "part \"title\"\nSmørrebrød\r\non rye\nend of title\n"
      "part \"photos\" file \"my \"best\" photo.png\" type image/png\n\x89PNG\r\n\x1A\n\0\0\r\n--\nend of photos\n"
      "part \"photos\" file \"日本.jpg\" type image/jpeg\n\nend of photos\n"
      "part \"none\" file without a name type application/octet-stream\n\nend of none\nform"s);
}

TEST(MultipartParser, reads_what_firefox_sends) {
  const std::string_view boundary = "---------------------------9051914041544843365972754266";
  const std::string input =
      "-----------------------------9051914041544843365972754266\r\n"
      "Content-Disposition: form-data; name=\"text\"\r\n\r\ntext default\r\n"
      "-----------------------------9051914041544843365972754266\r\n"
      "Content-Disposition: form-data; name=\"file1\"; filename=\"a.txt\"\r\n"
      "Content-Type: text/plain\r\n\r\nContent of a.txt.\n\r\n"
      "-----------------------------9051914041544843365972754266--\r\n";
  EXPECT_EQ(feed_every_way(input, {.boundary = boundary}),
            "part \"text\"\ntext default\nend of text\n"
            "part \"file1\" file \"a.txt\" type text/plain\nContent of a.txt.\n\nend of file1\nform");
}

TEST(MultipartParser, reads_what_curl_sends) {
  const std::string input =
      "--------------------------d74496d66958873e\r\n"
      "Content-Disposition: form-data; name=\"person\"\r\n\r\nanonymous\r\n"
      "--------------------------d74496d66958873e\r\n"
      "Content-Disposition: form-data; name=\"json\"\r\n"
      "Content-Type: application/json;charset=UTF-8\r\n\r\n{}\r\n"
      "--------------------------d74496d66958873e\r\n"
      "Content-Disposition: form-data; name=\"secret\"; filename=\"an \\\"old\\\" curl.txt\"\r\n"
      "Content-Type: text/plain\r\n\r\n1\n2\n\r\n"
      "--------------------------d74496d66958873e--\r\n";
  EXPECT_EQ(feed_every_way(input, {.boundary = "------------------------d74496d66958873e"}),
            "part \"person\"\nanonymous\nend of person\n"
            "part \"json\" type application/json charset UTF-8\n{}\nend of json\n"
            "part \"secret\" file \"an \"old\" curl.txt\" type text/plain\n1\n2\n\nend of secret\nform");
}

TEST(MultipartParser, reads_what_dotnet_sends) {
  const std::string input =
      "--4a424cac\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "Content-Disposition: form-data; name=name; filename=\"=?utf-8?B?c3BlY2lhbOKCrA==?=\"; "
      "filename*=utf-8''special%E2%82%AC\r\n\r\nx\r\n--4a424cac--\r\n";
  EXPECT_EQ(feed_every_way(input, {.boundary = "4a424cac"}),
            "part \"name\" file \"special€\" type text/plain charset utf-8\nx\nend of name\nform");
}

TEST(MultipartParser, reads_a_form_without_parts_as_browsers_send_it) {
  EXPECT_EQ(feed_every_way("--b--\r\n"), "form");
  EXPECT_EQ(feed_every_way("--b--"), "form");
}

TEST(MultipartParser, passes_over_preamble_epilogue_and_padding) {
  const std::string p = "--b \t \r\nContent-Disposition:form-data;name=a\r\n\r\nx\r\n--b-- \t";
  const std::string read = "part \"a\"\nx\nend of a\nform";
  EXPECT_EQ(feed_every_way(p), read);
  EXPECT_EQ(feed_every_way("\r\n" + p), read);
  EXPECT_EQ(feed_every_way("This is a\nMIME --b\n--b\r\n-b \r\n--c message\r\n" + p + "\r\n"), read);
  EXPECT_EQ(feed_every_way(p + "\r\nbye\r\n--b\r\n--b--\r\nagain"), read);
}

TEST(MultipartParser, gives_all_bytes_between_the_delimiters_as_content) {
  for (const std::string& content :
       {""s, "\r"s, "\n"s, "\r\n"s, "\r\n\r\n"s, "\r\r\n\n"s, "\r\n-"s, "\r\n--"s, "\r\n--c"s, "\r\r\n--"s, "--"s, "-"s,
        " --b--"s, "\n--b--\r\n"s, "\r--b\r\n"s, "x--b"s, "\0\xFF\0"s, "--B\r\n"s, "\r\n-\r\n--\r\n-b"s}) {
    EXPECT_EQ(feed_every_way(part("name=a", content) + last), "part \"a\"\n" + content + "\nend of a\nform") << content;
  }
}

TEST(MultipartParser, takes_a_boundary_right_behind_a_head_for_the_end_of_an_empty_part) {
  EXPECT_EQ(feed_every_way("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n--b--"),
            "part \"a\"\n\nend of a\nform");
}

TEST(MultipartParser, reads_names_in_every_way_they_are_written) {
  const auto name = [](std::string_view parameters) {
    const std::string read = feed_every_way(part(parameters, "") + last);
    return read.substr(0, read.find('\n'));
  };
  EXPECT_EQ(name(R"(name="a")"), R"(part "a")");
  EXPECT_EQ(name(R"(NAME=a)"), R"(part "a")");
  EXPECT_EQ(name(R"(name="")"), R"(part "")");
  EXPECT_EQ(name(R"(name="a;b=c, \"d\" \\ %22 %41 %0d %")"), R"(part "a;b=c, "d" \ " %41 %0d %")");
  EXPECT_EQ(name(R"(name=a%22b)"), R"(part "a%22b")") << "the escapes of HTML are in quotes";
  EXPECT_EQ(name(R"(name="a\b")"), R"(part "a\b")") << "browsers leave it as it is";
  EXPECT_EQ(name(R"(x=y; ;name="a";)"), R"(part "a")");
  EXPECT_EQ(name(R"(x="name=b"; name="a")"), R"(part "a")");
  EXPECT_EQ(name("name=\"日\t本\""), "part \"日\t本\"");
}

TEST(MultipartParser, never_gives_a_path_for_a_file_name) {
  const auto file = [](std::string_view parameter) {
    const std::string read = feed_every_way(part("name=a; " + std::string(parameter), "") + last);
    return read.substr(9, read.find('\n') - 9);
  };
  const std::string none = "file without a name";
  EXPECT_EQ(file(R"(filename="../../etc/passwd")"), R"(file "passwd")");
  EXPECT_EQ(file(R"(filename="/etc/passwd")"), R"(file "passwd")");
  EXPECT_EQ(file(R"(filename="C:\Users\me\photo.png")"), R"(file "photo.png")");
  EXPECT_EQ(file(R"(filename="\\\\server\\share\\photo.png")"), R"(file "photo.png")");
  EXPECT_EQ(file(R"(filename="a/b\c/d\e")"), R"(file "e")");
  EXPECT_EQ(file(R"(filename="..\/..\x")"), R"(file "x")");
  EXPECT_EQ(file(R"(filename=..)"), none);
  EXPECT_EQ(file(R"(filename=.)"), none);
  EXPECT_EQ(file(R"(filename="")"), none);
  EXPECT_EQ(file(R"(filename="a/..")"), none);
  EXPECT_EQ(file(R"(filename="a\")" + std::string("\"")), R"(file "a"")");
  EXPECT_EQ(file(R"(filename="a/")"), none);
  EXPECT_EQ(file(R"(filename="a\\")"), none);
  EXPECT_EQ(file(R"(filename=...)"), R"(file "...")");
  EXPECT_EQ(file(R"(filename*=UTF-8''..%2F..%5Cpasswd)"), R"(file "passwd")");
  EXPECT_EQ(file(R"(filename*=UTF-8''%2E%2e)"), none);
  EXPECT_EQ(file(R"(filename="..%2F%2e")"), R"(file "..%2F%2e")") << "nothing but what browsers escape is unescaped";
  EXPECT_EQ(file(R"(filename*=utf-8'en'b; filename=a)"), R"(file "b")");
}

TEST(MultipartParser, says_what_a_part_is) {
  const auto said = [](std::string_view fields) {
    const std::string read = feed_every_way(part("name=a", "", fields) + last);
    return read.substr(8, read.find('\n') - 8);
  };
  EXPECT_EQ(said(""), "");
  EXPECT_EQ(said("content-type:\tText/Plain ;\tCHARSET=\"iso-8859-1\"; x=y\t\r\n"),
            " type Text/Plain charset iso-8859-1");
  EXPECT_EQ(said("Content-Type: image/svg+xml\r\n"), " type image/svg+xml");
  EXPECT_EQ(said("Content-Transfer-Encoding: BINARY\r\nContent-Length: 7\r\nX:\r\n"), "");
  EXPECT_EQ(said("Content-Transfer-Encoding: 8bit\r\n"), "");
  EXPECT_EQ(said("Content-Transfer-Encoding: 7bit\r\n"), "");
}

TEST(MultipartParser, knows_boundaries_of_every_length) {
  for (std::size_t length = 1; length <= 70; ++length) {
    for (const char c : {'-', 'a', '?'}) {
      const std::string boundary(length, c);
      // One character less than the boundary, and the boundary without CRLF before it, are content.
      const std::string content = "\r\n--" + boundary.substr(1) + "\r\n-" + boundary + "\n--" + boundary + "x";
      const bool no_content = c == '-';  // "\r\n--" and dashes: the shorter one may contain the longer
      const std::string sent = no_content ? "x" : content;
      const std::string input = "--" + boundary + "\r\nContent-Disposition: form-data; name=a\r\n\r\n" + sent +
                                "\r\n--" + boundary + "--\r\n";
      const FeedOptions options{.boundary = boundary};
      EXPECT_EQ(feed_whole(input, options), "part \"a\"\n" + sent + "\nend of a\nform") << boundary;
      EXPECT_EQ(feed_byte_by_byte(input, options), feed_whole(input, options)) << boundary;
    }
  }
}

TEST(MultipartParser, rejects_a_form_that_is_cut_short_at_any_byte) {
  const std::string form =
      part("name=\"a\"", "x\r\n") + part("name=b; filename=c", "y", "Content-Type: a/b\r\n") + "--b--";
  for (std::size_t size = 0; size < form.size(); ++size) {
    const std::string read = feed_every_way(form.substr(0, size));
    const bool begun = size >= 3;  // "--b"
    EXPECT_TRUE(read.ends_with(begun ? "reject 400: the form ends before its last boundary"
                                     : "reject 400: the content has no line with the announced boundary"))
        << size << ": " << read;
  }
  EXPECT_TRUE(feed_whole(form).ends_with("form"));
  EXPECT_TRUE(feed_whole(form + "\r").ends_with("reject 400: the form ends before its last boundary"));
  EXPECT_TRUE(feed_whole(form + "\r\n").ends_with("form"));
}

TEST(MultipartParser, says_that_a_part_has_ended_only_when_the_line_of_its_boundary_has) {
  const std::string open = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx";
  const std::string cut = "part \"a\"\nxreject 400: the form ends before its last boundary";
  EXPECT_EQ(feed_every_way(open + "\r\n--b"), cut);
  EXPECT_EQ(feed_every_way(open + "\r\n--b-"), cut);
  EXPECT_EQ(feed_every_way(open + "\r\n--b \r"), cut);
}

// --- Limits: exactly at the limit, and one beyond ---

std::string verdict(std::string_view input, const MultipartLimits& limits) {
  const std::string read = feed_every_way(input, {.limits = limits});
  const std::size_t found = read.rfind("reject ");
  return found == std::string::npos ? read.substr(read.rfind('\n') + 1) : read.substr(found);
}

TEST(MultipartLimits, bound_preamble_and_epilogue) {
  const MultipartLimits limits{.preamble = 7, .epilogue = 5};
  const std::string too_much = "reject 400: too many bytes before the first boundary";
  EXPECT_EQ(verdict("1234567\r\n" + last, limits), "form");
  EXPECT_EQ(verdict("12345678\r\n" + last, limits), too_much);
  EXPECT_EQ(verdict("12345678", limits), too_much);
  EXPECT_EQ(verdict("\r\n--a\r\n\r\n--b--", limits), "form");
  EXPECT_EQ(verdict("\r\n--a\r\n.\r\n--b--", limits), too_much);
  EXPECT_EQ(verdict(last + "12345", limits), "form");
  EXPECT_EQ(verdict(last + "123456", limits), "reject 400: too many bytes behind the last boundary");
}

TEST(MultipartLimits, bound_the_blanks_behind_a_boundary) {
  EXPECT_EQ(verdict("--b--" + std::string(256, ' ') + "\r\n", {}), "form");
  EXPECT_EQ(verdict("--b--" + std::string(257, ' ') + "\r\n", {}), "reject 400: too many blanks behind a boundary");
  EXPECT_EQ(verdict("--b" + std::string(257, '\t') + "\r\n", {}), "reject 400: too many blanks behind a boundary");
}

TEST(MultipartLimits, bound_the_number_of_parts) {
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += part("name=a", "");
  EXPECT_TRUE(feed_whole(flood + last).ends_with("form"));
  EXPECT_TRUE(feed_whole(flood + part("name=a", "") + last).ends_with("reject 413: the form has too many parts"));
  EXPECT_EQ(verdict(part("name=a", "") + last, {.parts = 1}), "form");
  EXPECT_EQ(verdict(part("name=a", "") + "--b\r\n", {.parts = 1}), "reject 413: the form has too many parts");
}

TEST(MultipartLimits, bound_heads) {
  const std::string too_large = "reject 431: the head of a part is too large";
  const std::string head = "Content-Disposition: form-data; name=a\r\n\r\n";
  EXPECT_EQ(verdict("--b\r\n" + head + "\r\n" + last, {.head = head.size()}), "form");
  EXPECT_EQ(verdict("--b\r\n" + head + "\r\n" + last, {.head = head.size() - 1}), too_large);
  EXPECT_EQ(verdict("--b\r\n" + head + "\r\n" + last, {.head = head.size() - 2}), too_large);
  EXPECT_EQ(verdict("--b\r\n" + head + "\r\n" + last, {.head = head.size() - 3}), too_large);
  EXPECT_EQ(feed_byte_by_byte("--b\r\n" + std::string(100'000, 'x')), too_large) << "endless";
  std::string fields;
  for (int i = 0; i < 2000; ++i) fields += "X: y\r\n";
  EXPECT_EQ(feed_byte_by_byte("--b\r\n" + fields), "reject 431: the head of a part has too many fields");
  EXPECT_EQ(verdict(part("name=a", "", "X: y\r\n") + last, {.fields = 2}), "form");
  EXPECT_EQ(verdict(part("name=a", "", "X: y\r\n") + last, {.fields = 1}),
            "reject 431: the head of a part has too many fields");
}

TEST(MultipartLimits, bound_names) {
  EXPECT_EQ(verdict(part("name=\"%22bcd\"", "") + last, {.name = 4}), "form");
  EXPECT_EQ(verdict(part("name=abcde", "") + last, {.name = 4}), "reject 431: the name of a part is too long");
  EXPECT_EQ(verdict(part("name=a; filename=\"/b/d\"", "") + last, {.file_name = 4}), "form");
  EXPECT_EQ(verdict(part("name=a; filename=\"/b/cd\"", "") + last, {.file_name = 4}),
            "reject 431: the file name of a part is too long");
  EXPECT_EQ(verdict(part("name=a; filename*=UTF-8''%41%41%41%41a", "") + last, {.file_name = 4}),
            "reject 431: the file name of a part is too long");
}

TEST(MultipartLimits, bound_fields_and_not_files) {
  const std::string too_large = "reject 413: a field of the form is too large";
  const MultipartLimits limits{.field_bytes = 4};
  EXPECT_EQ(verdict(part("name=a", "1234") + last, limits), "form");
  EXPECT_EQ(verdict(part("name=a", "12345") + last, limits), too_large);
  EXPECT_EQ(verdict(part("name=a", "\r\n--c") + last, limits), too_large);
  EXPECT_EQ(verdict(part("name=a", "12\r\n-") + last, limits), too_large);
  EXPECT_EQ(verdict(part("name=a", "") + part("name=a", "123456789") + last, {.field_bytes = 0}), too_large);
  EXPECT_EQ(verdict(part("name=a; filename=b", "123456789") + last, limits), "form");
  EXPECT_EQ(feed_every_way(part("name=a", "12\r\n-") + last, {.limits = limits}), "part \"a\"\n12\r\n" + too_large)
      << "what is allowed is given, however the bytes come";
}

// --- The boundary of a Content-Type ---

std::string boundary_of(std::string_view content_type) {
  const auto boundary = multipart_boundary(content_type);
  if (boundary) return std::string(*boundary);
  return std::to_string(code(boundary.error().status)) + ' ' + std::string(boundary.error().detail);
}

TEST(MultipartBoundary, is_read_from_a_content_type) {
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(boundary_of("Multipart/Form-Data;charset=utf-8 ;\tBoundary=\"a b=c:d\";"), "a b=c:d");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW"),
            "----WebKitFormBoundary7MA4YWxkTrZu0gW");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=\"'()+_,-./:=?\""), "'()+_,-./:=?");
}

TEST(MultipartBoundary, of_another_media_type_is_refused) {
  const std::string other = "415 the content is not multipart/form-data";
  for (const char* type : {"", "text/plain", "multipart/mixed; boundary=a", "multipart/form-dat; boundary=a",
                           "multipart/form-data2; boundary=a", "multipart", "multipart/", " multipart/form-data"}) {
    EXPECT_EQ(boundary_of(type), other) << type;
  }
}

TEST(MultipartBoundary, is_refused_where_it_is_not_exactly_one) {
  const std::string type = "multipart/form-data";
  EXPECT_EQ(boundary_of(type), "400 Content-Type announces no boundary (RFC 2046, 5.1.1)");
  EXPECT_EQ(boundary_of(type + "; x=y"), "400 Content-Type announces no boundary (RFC 2046, 5.1.1)");
  EXPECT_EQ(boundary_of(type + "; boundary=a; boundary=a"), "400 Content-Type announces more than one boundary");
}

TEST(MultipartBoundary, is_refused_in_a_content_type_that_is_malformed) {
  for (const char* rest :
       {"; boundary", "; boundary=", "; boundary =a", "; boundary= a", " boundary=a", "; =a", ";boundary=a b",
        "; boundary=\"a", "; boundary=\"a\"b", "; boundary=a/b", "; boundary=a, text/plain", "x;boundary=a",
        "; boundary=\"a\\", "; boundary=\"a\\\"", "; boundary=a ", "; boundary=\"a\nb\""}) {
    EXPECT_FALSE(multipart_boundary("multipart/form-data" + std::string(rest))) << rest;
  }
}

TEST(MultipartBoundary, has_1_to_70_of_its_characters) {
  const std::string refused = "400 the boundary is not 1 to 70 of the characters it may have (RFC 2046, 5.1.1)";
  for (std::size_t length = 0; length < 100; ++length) {
    const std::string boundary(length, 'x');
    const bool good = length >= 1 && length <= 70;
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=\"" + boundary + '"'), good ? boundary : refused) << length;
  }
  for (const char* boundary :
       {"\"a \"", "\"\"", "\"a\\b\"", "\"a\\\"b\"", "a*b", "a#b", "\"a;b\"", "\"\xC3\xA4\"", "\"a\tb\""}) {
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(boundary)), refused) << boundary;
  }
}

TEST(MultipartBoundaryDeathTest, is_what_a_parser_is_made_with) {
  EXPECT_DEATH(MultipartParser(""), "boundary");
  EXPECT_DEATH(MultipartParser(std::string(71, 'a')), "boundary");
  EXPECT_DEATH(MultipartParser("a\r\n"), "boundary");
}

}  // namespace
}  // namespace tern::multipart
