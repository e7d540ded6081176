// Patterns: what they may look like, and how what is wrong with one is said.
#include <tern/app/pattern.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::app {
namespace {

std::vector<Segment> segments_of(std::string_view pattern) {
  std::vector<Segment> list;
  PatternReader reader(pattern);
  for (Segment segment; reader.next(segment);) list.push_back(segment);
  EXPECT_EQ(reader.fault(), PatternFault::None) << pattern << ": " << describe(reader.fault());
  return list;
}

PatternFault fault_of(std::string_view pattern) {
  return examine(pattern).fault;
}

TEST(Pattern, is_read_segment_by_segment) {
  const auto segments = segments_of("/books/{id}/{year:[0-9]{4}}/{rest...}");
  ASSERT_EQ(segments.size(), 4U);
  EXPECT_EQ(segments[0].kind, SegmentKind::Literal);
  EXPECT_EQ(segments[0].text, "books");
  EXPECT_EQ(segments[1].kind, SegmentKind::Parameter);
  EXPECT_EQ(segments[1].name, "id");
  EXPECT_EQ(segments[2].kind, SegmentKind::Regex);
  EXPECT_EQ(segments[2].name, "year");
  EXPECT_EQ(segments[2].regex, "[0-9]{4}");
  EXPECT_EQ(segments[3].kind, SegmentKind::Rest);
  EXPECT_EQ(segments[3].name, "rest");
}

TEST(Pattern, may_be_the_root_and_may_end_in_a_slash) {
  ASSERT_EQ(segments_of("/").size(), 1U);
  EXPECT_EQ(segments_of("/")[0].text, "");
  ASSERT_EQ(segments_of("/books/").size(), 2U);
  EXPECT_EQ(segments_of("/books/")[1].text, "");
}

TEST(Pattern, takes_colons_slashes_and_escaped_braces_in_a_regular_expression) {
  EXPECT_EQ(segments_of("/{a:x:y/z}")[0].regex, "x:y/z");
  EXPECT_EQ(segments_of(R"(/{a:\{\}})")[0].regex, R"(\{\})");
  EXPECT_EQ(segments_of("/{a:b...}")[0].kind, SegmentKind::Regex);
}

TEST(Pattern, may_be_written_in_utf_8) {
  ASSERT_EQ(segments_of("/bücher/{id:ä+}").size(), 2U);
  EXPECT_EQ(segments_of("/bücher/{id:ä+}")[0].text, "bücher");
  EXPECT_EQ(fault_of("/{größe}"), PatternFault::PlaceholderWithoutName);
}

TEST(Pattern, counts_its_placeholders) {
  EXPECT_EQ(examine("/").placeholders, 0U);
  EXPECT_EQ(examine("/a/{b}/{c:d}/{e...}").placeholders, 3U);
  EXPECT_EQ(examine("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}/{k}/{l}/{m}/{n}/{o}/{p}").placeholders, 16U);
}

TEST(Pattern, begins_with_a_slash) {
  EXPECT_EQ(fault_of(""), PatternFault::NoLeadingSlash);
  EXPECT_EQ(fault_of("books"), PatternFault::NoLeadingSlash);
  EXPECT_EQ(fault_of("{id}"), PatternFault::NoLeadingSlash);
  EXPECT_EQ(fault_of("*"), PatternFault::NoLeadingSlash);
}

TEST(Pattern, closes_what_it_opens) {
  EXPECT_EQ(fault_of("/{id"), PatternFault::UnclosedBrace);
  EXPECT_EQ(fault_of("/{"), PatternFault::UnclosedBrace);
  EXPECT_EQ(fault_of("/{id:[0-9]{3}"), PatternFault::UnclosedBrace);
  EXPECT_EQ(fault_of("/{id:\\}"), PatternFault::UnclosedBrace);
  EXPECT_EQ(fault_of("/{id:\\"), PatternFault::UnclosedBrace);
  EXPECT_EQ(fault_of("/id}"), PatternFault::StrayBrace);
  EXPECT_EQ(fault_of("/}"), PatternFault::StrayBrace);
}

TEST(Pattern, names_its_placeholders_with_letters_digits_and_underscores) {
  EXPECT_EQ(fault_of("/{}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{:x}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{...}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{a-b}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{ a}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{a..}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{a{b}}"), PatternFault::PlaceholderWithoutName);
  EXPECT_EQ(fault_of("/{Book_1}"), PatternFault::None);
  EXPECT_EQ(fault_of("/{a}/{a}"), PatternFault::NameUsedTwice);
  EXPECT_EQ(fault_of("/{a}/b/{a:x}"), PatternFault::NameUsedTwice);
  EXPECT_EQ(fault_of("/{a}/{a...}"), PatternFault::NameUsedTwice);
  EXPECT_EQ(fault_of("/{a}/{A}"), PatternFault::None);
}

TEST(Pattern, fills_a_whole_segment_with_a_placeholder) {
  EXPECT_EQ(fault_of("/a{b}"), PatternFault::PlaceholderNotAWholeSegment);
  EXPECT_EQ(fault_of("/{b}.txt"), PatternFault::PlaceholderNotAWholeSegment);
  EXPECT_EQ(fault_of("/{a}{b}"), PatternFault::PlaceholderNotAWholeSegment);
  EXPECT_EQ(fault_of("/{a}}"), PatternFault::PlaceholderNotAWholeSegment);
}

TEST(Pattern, ends_with_the_rest) {
  EXPECT_EQ(fault_of("/{a...}/b"), PatternFault::RestNotLast);
  EXPECT_EQ(fault_of("/{a...}/"), PatternFault::RestNotLast);
  EXPECT_EQ(fault_of("/{a...}/{b}"), PatternFault::RestNotLast);
  EXPECT_EQ(fault_of("/{a...}x"), PatternFault::PlaceholderNotAWholeSegment);
}

TEST(Pattern, refuses_what_could_never_match) {
  EXPECT_EQ(fault_of("/a/../b"), PatternFault::DotSegment);
  EXPECT_EQ(fault_of("/."), PatternFault::DotSegment);
  EXPECT_EQ(fault_of("/..."), PatternFault::None);
  EXPECT_EQ(fault_of("/.well-known"), PatternFault::None);
  EXPECT_EQ(fault_of("/a?b"), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of("/a#b"), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of("/a%20b"), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of("/a b"), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of("/a\tb"), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of("/a\x7f"), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of(std::string_view("/a\0", 3)), PatternFault::ForbiddenCharacter);
  EXPECT_EQ(fault_of("/{a:}"), PatternFault::EmptyRegex);
  EXPECT_EQ(fault_of("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}/{k}/{l}/{m}/{n}/{o}/{p}/{q}"),
            PatternFault::TooManyPlaceholders);
}

TEST(Pattern, reports_the_first_fault_and_not_what_follows) {
  EXPECT_EQ(fault_of("/{a/{a"), PatternFault::UnclosedBrace);
  EXPECT_EQ(fault_of("/{a}/{b/x"), PatternFault::UnclosedBrace);
}

TEST(Pattern, has_words_for_every_fault) {
  for (int fault = 0; fault <= static_cast<int>(PatternFault::ForbiddenCharacter); ++fault) {
    EXPECT_FALSE(describe(static_cast<PatternFault>(fault)).empty()) << fault;
  }
}

static_assert(examine("/books/{id}").fault == PatternFault::None, "patterns are examined while compiling");
static_assert(examine("/books/{id").fault == PatternFault::UnclosedBrace);

}  // namespace
}  // namespace tern::app
