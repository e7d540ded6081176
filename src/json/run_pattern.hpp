// A pattern that is a sequence of runs: characters of one set each, so many of them. `^[A-Z]{2}-[0-9]+$` has three.
// Only those that can be read greedily, without going back: what follows a run of variable length does not begin
// with a character of it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "json/pattern_tree.hpp"

namespace tern::json::detail {

class RunPattern {
public:
  // Nothing if the pattern is none, or does not begin with "^".
  static std::optional<RunPattern> make(const PatternTree& tree);

  Match match(std::string_view text) const;

private:
  struct Run {
    std::size_t min;
    std::size_t max;
    unsigned char bit;  // in sets_
    bool has_others;
  };

  std::array<unsigned char, 256> sets_ = {};  // of each byte, the sets that it is in
  std::vector<Run> runs_;
  bool at_end_ = false;
};

}  // namespace tern::json::detail
