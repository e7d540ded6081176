// Route patterns and their syntax, checked at compile time if the pattern is a literal.
//
//   pattern     = "/" / 1*( "/" segment )
//   segment     = literal / "{" name "}" / "{" name ":" regex "}" / "{" name "...}"
//
// A placeholder takes a whole segment; "{name...}" is the last one and takes the rest of the path, which may be empty.
#pragma once

#include <tern/base/ascii.hpp>
#include <tern/http/request.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern::app {

enum class SegmentKind : std::uint8_t { Literal, Parameter, Regex, Rest };

struct Segment {
  SegmentKind kind = SegmentKind::Literal;
  std::string_view text;   // of a literal
  std::string_view name;   // of a placeholder
  std::string_view regex;  // RE2 syntax, of a regex placeholder
};

enum class PatternFault : std::uint8_t {
  None,
  NoLeadingSlash,
  UnclosedBrace,
  StrayBrace,
  PlaceholderWithoutName,
  PlaceholderNotAWholeSegment,
  RestNotLast,
  NameUsedTwice,
  TooManyPlaceholders,
  EmptyRegex,
  DotSegment,
  ForbiddenCharacter,
};

constexpr std::string_view describe(PatternFault fault) {
  switch (fault) {
    case PatternFault::None: return "nothing is wrong";
    case PatternFault::NoLeadingSlash: return "a pattern begins with '/'";
    case PatternFault::UnclosedBrace: return "a '{' is not closed";
    case PatternFault::StrayBrace: return "a '}' closes nothing";
    case PatternFault::PlaceholderWithoutName: return "a placeholder has a name of letters, digits and '_'";
    case PatternFault::PlaceholderNotAWholeSegment: return "a placeholder fills its whole segment";
    case PatternFault::RestNotLast: return "'{name...}' is the last segment";
    case PatternFault::NameUsedTwice: return "two placeholders have the same name";
    case PatternFault::TooManyPlaceholders: return "a pattern has at most 16 placeholders";
    case PatternFault::EmptyRegex: return "there is no regular expression behind the ':'";
    case PatternFault::DotSegment: return "'.' and '..' never match: such paths are refused";
    case PatternFault::ForbiddenCharacter:
      return "'?', '#', '%', blanks and control characters never match: write the decoded path";
  }
  return {};
}

// Iterates over the segments of a pattern.
class PatternReader {
public:
  constexpr explicit PatternReader(std::string_view pattern) : rest_(pattern) {}

  // False at the end or at a fault.
  constexpr bool next(Segment& segment) {
    if (fault_ != PatternFault::None || rest_.empty()) return false;
    if (rest_.front() != '/') return fail(PatternFault::NoLeadingSlash);
    rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() == '{') return placeholder(segment);
    const std::size_t end = rest_.find('/');
    segment = {SegmentKind::Literal, rest_.substr(0, end), {}, {}};
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end);
    if (segment.text == "." || segment.text == "..") return fail(PatternFault::DotSegment);
    for (const char c : segment.text) {
      if (c == '{') return fail(PatternFault::PlaceholderNotAWholeSegment);
      if (c == '}') return fail(PatternFault::StrayBrace);
      if (c == '?' || c == '#' || c == '%' || static_cast<unsigned char>(c) <= 0x20 || c == 0x7F) {
        return fail(PatternFault::ForbiddenCharacter);
      }
    }
    return true;
  }

  constexpr PatternFault fault() const { return fault_; }

private:
  constexpr bool fail(PatternFault fault) {
    fault_ = fault;
    return false;
  }

  // `rest_` begins with the brace. Braces within a regular expression nest; a backslash there escapes the next
  // character.
  constexpr bool placeholder(Segment& segment) {
    std::size_t end = 1;
    for (int depth = 1; end < rest_.size(); ++end) {
      if (rest_[end] == '\\') {
        ++end;
      } else if (rest_[end] == '{') {
        ++depth;
      } else if (rest_[end] == '}' && --depth == 0) {
        break;
      }
    }
    if (end >= rest_.size()) return fail(PatternFault::UnclosedBrace);
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (!rest_.empty() && rest_.front() != '/') return fail(PatternFault::PlaceholderNotAWholeSegment);
    const std::size_t colon = inside.find(':');
    segment = {SegmentKind::Parameter, {}, inside.substr(0, colon), {}};
    if (colon != std::string_view::npos) {
      segment.kind = SegmentKind::Regex;
      segment.regex = inside.substr(colon + 1);
      if (segment.regex.empty()) return fail(PatternFault::EmptyRegex);
    } else if (inside.ends_with("...")) {
      segment.kind = SegmentKind::Rest;
      segment.name = inside.substr(0, inside.size() - 3);
      if (!rest_.empty()) return fail(PatternFault::RestNotLast);
    }
    if (segment.name.empty()) return fail(PatternFault::PlaceholderWithoutName);
    for (const char c : segment.name) {
      if (!base::is_alpha(c) && !base::is_digit(c) && c != '_') return fail(PatternFault::PlaceholderWithoutName);
    }
    return true;
  }

  std::string_view rest_;
  PatternFault fault_ = PatternFault::None;
};

struct PatternFacts {
  PatternFault fault = PatternFault::None;
  std::size_t placeholders = 0;
};

constexpr PatternFacts examine(std::string_view pattern) {
  PatternFacts facts;
  if (pattern.empty()) return {PatternFault::NoLeadingSlash, 0};
  std::string_view names[http::max_parameters];
  PatternReader reader(pattern);
  Segment segment;
  while (reader.next(segment)) {
    if (segment.kind == SegmentKind::Literal) continue;
    if (facts.placeholders == http::max_parameters) return {PatternFault::TooManyPlaceholders, 0};
    for (std::size_t i = 0; i < facts.placeholders; ++i) {
      if (names[i] == segment.name) return {PatternFault::NameUsedTwice, 0};
    }
    names[facts.placeholders++] = segment.name;
  }
  facts.fault = reader.fault();
  return facts;
}

// A compiler that evaluates a call of one of these in a pattern names it in its error: the names are the messages.
void pattern_must_begin_with_a_slash();
void pattern_has_an_unclosed_brace();
void pattern_has_a_closing_brace_without_an_opening_one();
void placeholder_needs_a_name_of_letters_digits_and_underscores();
void placeholder_must_fill_its_whole_segment();
void rest_placeholder_must_be_the_last_segment();
void pattern_uses_a_placeholder_name_twice();
void pattern_has_more_than_16_placeholders();
void placeholder_has_an_empty_regular_expression();
void pattern_has_a_dot_segment_which_never_matches();
void pattern_has_a_character_which_never_matches();
template <std::size_t PatternHas, std::size_t HandlerTakes>
void handler_takes_a_different_number_of_placeholders();

// The error has both numbers.
template <std::size_t Taken>
consteval void refuse_unless_taken(std::size_t placeholders) {
  [&]<std::size_t... Has>(std::index_sequence<Has...>) {
    ((Has != Taken && Has == placeholders ? handler_takes_a_different_number_of_placeholders<Has, Taken>()
                                          : static_cast<void>(0)),
     ...);
  }(std::make_index_sequence<http::max_parameters + 1>{});
}

consteval void refuse(PatternFault fault) {
  switch (fault) {
    case PatternFault::None: break;
    case PatternFault::NoLeadingSlash: pattern_must_begin_with_a_slash(); break;
    case PatternFault::UnclosedBrace: pattern_has_an_unclosed_brace(); break;
    case PatternFault::StrayBrace: pattern_has_a_closing_brace_without_an_opening_one(); break;
    case PatternFault::PlaceholderWithoutName: placeholder_needs_a_name_of_letters_digits_and_underscores(); break;
    case PatternFault::PlaceholderNotAWholeSegment: placeholder_must_fill_its_whole_segment(); break;
    case PatternFault::RestNotLast: rest_placeholder_must_be_the_last_segment(); break;
    case PatternFault::NameUsedTwice: pattern_uses_a_placeholder_name_twice(); break;
    case PatternFault::TooManyPlaceholders: pattern_has_more_than_16_placeholders(); break;
    case PatternFault::EmptyRegex: placeholder_has_an_empty_regular_expression(); break;
    case PatternFault::DotSegment: pattern_has_a_dot_segment_which_never_matches(); break;
    case PatternFault::ForbiddenCharacter: pattern_has_a_character_which_never_matches(); break;
  }
}

}  // namespace tern::app

namespace tern {

// A pattern that is known only at run time: app.get(tern::runtime(text), handler). Checked at the start.
struct Runtime {
  std::string pattern;
  std::source_location place;
};
inline Runtime runtime(std::string pattern, std::source_location place = std::source_location::current()) {
  return {std::move(pattern), place};
}

// A pattern or prefix, and the source location of its registration for messages.
struct PlacedPattern {
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  PlacedPattern(const Text& pattern, std::source_location where = std::source_location::current())  // NOLINT: implicit
      : text(pattern), place(where) {}
  PlacedPattern(const Runtime& pattern)  // NOLINT: implicit
      : text(pattern.pattern), place(pattern.place) {}

  std::string_view text;
  std::source_location place;
};

}  // namespace tern
