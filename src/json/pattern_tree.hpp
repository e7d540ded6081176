// The part of RE2's syntax that tables can match: characters of ASCII, classes, groups, alternatives and counts, with
// "^" at the begin and "$" at the end of the whole. The rest (flags, assertions, Unicode classes, letters beyond ASCII)
// is left to RE2. The expression is one that RE2 has accepted.
//
//   pattern  = ["^"] choice ["$"]
//   choice   = sequence *("|" sequence)
//   sequence = *(atom ["*" / "+" / "?" / "{" min ["," [max]] "}"] ["?"])
//   atom     = character / "." / "\" character / "[" class "]" / "(" ["?:"] choice ")"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tern::json::detail {

// Characters of ASCII by their bits, and all others together.
struct CharacterSet {
  std::uint64_t bits[2] = {0, 0};
  bool has_others = false;  // every code point beyond ASCII

  constexpr bool has(unsigned char c) const { return ((bits[c / 64] >> (c % 64)) & 1U) != 0; }  // c < 128
  constexpr void add(unsigned char first, unsigned char last) {
    for (unsigned c = first; c <= last; ++c) bits[c / 64] |= std::uint64_t{1} << (c % 64);
  }
  constexpr void add(const CharacterSet& other) {
    bits[0] |= other.bits[0];
    bits[1] |= other.bits[1];
    has_others = has_others || other.has_others;
  }
  constexpr CharacterSet complement() const { return {{~bits[0], ~bits[1]}, !has_others}; }
  constexpr bool intersects(const CharacterSet& other) const {
    return (bits[0] & other.bits[0]) != 0 || (bits[1] & other.bits[1]) != 0 || (has_others && other.has_others);
  }
  bool operator==(const CharacterSet&) const = default;
};

struct PatternNode {
  enum class Kind : std::uint8_t { Set, Sequence, Choice, Repeat };
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  Kind kind = Kind::Sequence;
  CharacterSet set = {};  // of a Set
  std::size_t min = 1;    // of a Repeat, which has one child
  std::size_t max = 1;
  std::vector<PatternNode> children = {};
};

struct PatternTree {
  PatternNode root;
  bool at_begin = false;  // "^"
  bool at_end = false;    // "$"
};

// Nothing if tables cannot match the expression.
std::optional<PatternTree> parse_pattern(std::string_view expression);

// What tables say of a text. Undecided: RE2 has to, because a character beyond ASCII may match.
enum class Match : std::uint8_t { No, Yes, Undecided };

}  // namespace tern::json::detail
