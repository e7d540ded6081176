// A pattern as a deterministic finite automaton over bytes, made whole: one step of a table for each byte of a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "json/pattern_tree.hpp"

namespace tern::json::detail {

class ByteAutomaton {
public:
  // Nothing if the automaton would have more than max_states.
  static std::optional<ByteAutomaton> make(const PatternTree& tree);
  static constexpr std::size_t max_states = 256;

  Match match(std::string_view text) const;

private:
  friend class AutomatonBuilder;

  // The first states end the search: one for each verdict.
  static constexpr std::uint16_t first_live = 3;

  std::array<std::uint8_t, 256> class_of_ = {};  // bytes of one class lead to the same states
  std::size_t classes_ = 0;
  std::vector<std::uint16_t> next_;  // by state and class
  std::vector<Match> verdicts_;      // of each state, when the text ends there
  std::uint16_t start_ = 0;
};

}  // namespace tern::json::detail
