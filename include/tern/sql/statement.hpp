// SqlText: the text of a statement, as a literal that is checked at compile time, or as tern::runtime(text).
#pragma once

#include <tern/app/pattern.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace tern {
namespace sql {

// A compiler that evaluates a call of one of these in a statement names it in its error: the names are the messages.
template <std::size_t StatementTakes, std::size_t Given>
void statement_takes_a_different_number_of_arguments();
void statement_has_a_parameter_of_another_form_than_dollar_and_number();
void statement_has_too_many_parameters();

inline constexpr std::size_t max_literal_parameters = 99;

// Skips a quoted text, a quoted name or a comment that begins at `at`; `at` itself if there is none.
constexpr std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const auto end_of = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  const char c = text[at];
  if (c == '\'' || c == '"' || c == '`') return end_of(text.substr(at, 1), at + 1);
  if (text.substr(at).starts_with("--")) return end_of("\n", at + 2);
  if (text.substr(at).starts_with("/*")) return end_of("*/", at + 2);
  return at;
}

// The highest number of a parameter $1, $2, …; `malformed` for "?".
constexpr std::size_t count_parameters(std::string_view text, bool& malformed) {
  std::size_t highest = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = skip_quoted(text, at); end != at) {
      at = end;
      continue;
    }
    if (text[at] == '?') malformed = true;
    if (text[at++] != '$') continue;
    std::size_t number = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && number < 100'000) {
      number = number * 10 + static_cast<std::size_t>(text[at++] - '0');
    }
    if (number > highest) highest = number;
  }
  return highest;
}

}  // namespace sql

// The text of a statement with `Count` arguments. Borrowed: the functions that take it copy what is no literal.
template <std::size_t Count>
class SqlText {
public:
  template <std::size_t N>
  consteval SqlText(const char (&literal)[N])  // NOLINT: implicit
      : text_(literal, N - 1), literal_(true) {
    bool malformed = false;
    const std::size_t takes = sql::count_parameters(text_, malformed);
    if (malformed) sql::statement_has_a_parameter_of_another_form_than_dollar_and_number();
    if (takes > sql::max_literal_parameters) sql::statement_has_too_many_parameters();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((I != Count && I == takes ? sql::statement_takes_a_different_number_of_arguments<I, Count>()
                                 : static_cast<void>(0)),
       ...);
    }(std::make_index_sequence<sql::max_literal_parameters + 1>{});
  }
  SqlText(const Runtime& text) : text_(text.pattern) {}  // NOLINT: implicit

  constexpr std::string_view text() const noexcept { return text_; }
  constexpr bool is_literal() const noexcept { return literal_; }

private:
  std::string_view text_;
  bool literal_ = false;
};

}  // namespace tern
