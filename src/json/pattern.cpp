#include "json/pattern.hpp"

namespace tern::json::detail {
namespace {

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Pattern::Pattern(std::string_view expression) : regex_(piece(expression), quiet()) {
  if (!regex_.ok()) return;
  const auto tree = parse_pattern(expression);
  if (!tree) return;
  runs_ = RunPattern::make(*tree);
  if (!runs_) automaton_ = ByteAutomaton::make(*tree);
}

bool Pattern::is_in(std::string_view text) const {
  Match match = Match::Undecided;
  if (runs_) {
    match = runs_->match(text);
  } else if (automaton_) {
    match = automaton_->match(text);
  }
  return match == Match::Undecided ? re2::RE2::PartialMatch(piece(text), regex_) : match == Match::Yes;
}

}  // namespace tern::json::detail
