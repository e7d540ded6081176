#include <tern/base/arena.hpp>
#include <tern/http/uri.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tern {
namespace {

void expect_parts(std::string_view target, std::string_view authority, std::string_view path, std::string_view query) {
  const Target parts = split_target(target);
  EXPECT_EQ(parts.authority, authority) << target;
  EXPECT_EQ(parts.path, path) << target;
  EXPECT_EQ(parts.query, query) << target;
}

TEST(SplitTarget, splits_the_origin_form_at_the_first_question_mark) {
  expect_parts("/", "", "/", "");
  expect_parts("/a/b%2Fc", "", "/a/b%2Fc", "");
  expect_parts("/a?b=c", "", "/a", "b=c");
  expect_parts("/a?", "", "/a", "");
  expect_parts("/?b?c", "", "/", "b?c");
  expect_parts("//a", "", "//a", "");
  expect_parts("/a?to=http://example.org/", "", "/a", "to=http://example.org/");
  expect_parts("/http://example.org/", "", "/http://example.org/", "");
}

TEST(SplitTarget, splits_the_absolute_form) {
  expect_parts("http://example.org", "example.org", "/", "");
  expect_parts("http://example.org/", "example.org", "/", "");
  expect_parts("https://example.org:8443/a/b?c=d", "example.org:8443", "/a/b", "c=d");
  expect_parts("http://example.org?a=/b", "example.org", "/", "a=/b");
  expect_parts("http://example.org/a?u=x://y", "example.org", "/a", "u=x://y");
  expect_parts("http://[::1]:80/a", "[::1]:80", "/a", "");
  expect_parts("http:///a", "", "/a", "");
}

TEST(SplitTarget, knows_the_asterisk_and_the_authority) {
  expect_parts("*", "", "*", "");
  expect_parts("example.org:443", "example.org:443", "", "");
  expect_parts("", "", "", "");
}

TEST(SplitTarget, gives_views_into_the_target) {
  const std::string target = "http://example.org/a?b";
  const Target parts = split_target(target);
  EXPECT_EQ(parts.authority.data(), target.data() + 7);
  EXPECT_EQ(parts.path.data(), target.data() + 18);
  EXPECT_EQ(parts.query.data(), target.data() + 21);
}

TEST(PercentDecode, decodes_every_byte_but_nul_in_both_cases) {
  Arena arena;
  constexpr std::string_view small = "0123456789abcdef";
  constexpr std::string_view large = "0123456789ABCDEF";
  for (std::size_t byte = 1; byte < 256; ++byte) {
    for (const std::string_view digits : {small, large}) {
      const std::string text = std::string("%") + digits[byte / 16] + digits[byte % 16];
      EXPECT_EQ(percent_decode(text, arena), std::string(1, static_cast<char>(byte))) << byte;
    }
  }
}

TEST(PercentDecode, decodes_once) {
  Arena arena;
  EXPECT_EQ(percent_decode("a%2520b", arena), "a%20b");
  EXPECT_EQ(percent_decode("%41%42", arena), "AB");
  EXPECT_EQ(percent_decode("x%41", arena), "xA");
}

TEST(PercentDecode, returns_the_same_view_where_there_is_nothing_to_decode) {
  Arena arena;
  const std::string_view text = "plain+text";
  const auto decoded = percent_decode(text, arena);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->data(), text.data());
  EXPECT_EQ(*decoded, text);
  EXPECT_EQ(percent_decode("", arena), "");
  EXPECT_EQ(arena.footprint(), 0U);
}

TEST(PercentDecode, refuses_a_malformed_escape_and_reads_no_further) {
  Arena arena;
  for (const std::string_view text : {"%", "a%", "%4", "a%4", "%g0", "%0g", "%%41", "% 41", "%-1", "%4%", "%u0041"}) {
    const auto exact = std::make_unique<char[]>(text.size());  // the sanitizer detects reads beyond the end
    std::copy(text.begin(), text.end(), exact.get());
    EXPECT_FALSE(percent_decode({exact.get(), text.size()}, arena)) << text;
    EXPECT_FALSE(form_decode({exact.get(), text.size()}, arena)) << text;
  }
}

TEST(PercentDecode, refuses_nul_escaped_and_raw) {
  Arena arena;
  EXPECT_FALSE(percent_decode("a%00", arena));
  EXPECT_FALSE(percent_decode(std::string_view("a\0b", 3), arena));
  EXPECT_FALSE(percent_decode(std::string_view("%41\0", 4), arena));
  EXPECT_FALSE(form_decode("%00", arena));
  EXPECT_FALSE(form_decode(std::string_view("+\0", 2), arena));
}

TEST(FormDecode, reads_a_plus_as_a_blank_but_an_escaped_one_as_itself) {
  Arena arena;
  EXPECT_EQ(form_decode("a+b%2Bc", arena), "a b+c");
  EXPECT_EQ(form_decode("+", arena), " ");
  EXPECT_EQ(percent_decode("a+b%2Bc", arena), "a+b+c");
  EXPECT_EQ(form_decode("plain", arena), "plain");
}

TEST(PercentEncode, leaves_the_unreserved_characters_alone_and_escapes_all_others) {
  std::string out = "?";
  append_percent_encoded(out, "AZaz09-._~");
  EXPECT_EQ(out, "?AZaz09-._~");
  out.clear();
  append_percent_encoded(out, std::string_view(" /%+&=\0\x7F\xFF", 9));
  EXPECT_EQ(out, "%20%2F%25%2B%26%3D%00%7F%FF");
}

TEST(EscapeUri, leaves_structure_and_escapes_alone) {
  const std::string uri = "https://u@[::1]:443/a%20b/(c);d=e,f/~g'*!$&+?h=%zz&i=/?@:#j";
  EXPECT_EQ(escape_uri(uri), uri);
  EXPECT_EQ(escape_uri(" \t\"<>\\^`{|}\x7F\xC3\xA4"), "%20%09%22%3C%3E%5C%5E%60%7B%7C%7D%7F%C3%A4");
  EXPECT_EQ(escape_uri(std::string_view("\r\n\0", 3)), std::string_view("\r\n\0", 3));
}

TEST(PercentEncode, is_undone_by_decoding) {
  Arena arena;
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  std::string encoded;
  append_percent_encoded(encoded, all);
  EXPECT_EQ(percent_decode(encoded, arena), all);
  EXPECT_EQ(form_decode(encoded, arena), all);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs(std::string_view rest) {
  Pairs out;
  std::string_view name;
  std::string_view value;
  while (next_pair(rest, name, value)) out.emplace_back(name, value);
  EXPECT_TRUE(rest.empty());
  return out;
}

TEST(NextPair, steps_through_pairs) {
  EXPECT_EQ(pairs("a=1&b=2"), (Pairs{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(pairs("a=1&a=2"), (Pairs{{"a", "1"}, {"a", "2"}}));
  EXPECT_EQ(pairs("a=b=c"), (Pairs{{"a", "b=c"}}));
}

TEST(NextPair, gives_an_empty_value_without_equals_sign_and_does_not_keep_the_one_before) {
  EXPECT_EQ(pairs("a=1&flag"), (Pairs{{"a", "1"}, {"flag", ""}}));
  EXPECT_EQ(pairs("a="), (Pairs{{"a", ""}}));
  EXPECT_EQ(pairs("=v"), (Pairs{{"", "v"}}));
  EXPECT_EQ(pairs("="), (Pairs{{"", ""}}));
}

TEST(NextPair, passes_over_empty_pieces) {
  EXPECT_EQ(pairs(""), Pairs{});
  EXPECT_EQ(pairs("&&&"), Pairs{});
  EXPECT_EQ(pairs("&a=1&&b=2&"), (Pairs{{"a", "1"}, {"b", "2"}}));
}

TEST(NextPair, does_not_split_at_semicolons) {
  EXPECT_EQ(pairs("a=1;b=2"), (Pairs{{"a", "1;b=2"}}));
}

}  // namespace
}  // namespace tern
