// An RE2 expression, found anywhere in a text. RE2 compiles it and says what is malformed; simple ones are matched by
// tables of their own, with the same result in a fraction of the time: RE2 costs 40 to 80 ns before the first
// character.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "json/byte_automaton.hpp"
#include "json/run_pattern.hpp"

namespace tern::json::detail {

class Pattern {
public:
  explicit Pattern(std::string_view expression);

  // Empty if the expression is well-formed; nothing else may be called otherwise.
  const std::string& error() const { return regex_.error(); }
  bool is_in(std::string_view text) const;

  enum class Engine : unsigned char { Runs, Automaton, Re2 };
  Engine engine() const { return runs_ ? Engine::Runs : automaton_ ? Engine::Automaton : Engine::Re2; }

private:
  re2::RE2 regex_;
  std::optional<RunPattern> runs_;
  std::optional<ByteAutomaton> automaton_;
};

}  // namespace tern::json::detail
