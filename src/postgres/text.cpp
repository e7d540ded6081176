#include "postgres/text.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/statement.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace tern::postgres {
namespace {

// The next word, behind white space, comments and parentheses. Empty if there is none.
std::string_view take_word(std::string_view& text) {
  while (!text.empty()) {
    if (text.starts_with("--") || text.starts_with("/*")) {
      text.remove_prefix(sql::skip_quoted(text, 0));
    } else if (base::is_alpha(text.front())) {
      break;
    } else if (std::string_view(" \t\r\n\f(;").find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
    } else {
      return {};
    }
  }
  const auto end = std::ranges::find_if_not(text, [](char c) { return base::is_alpha(c) || c == '_'; });
  const std::string_view word(text.begin(), end);
  text.remove_prefix(word.size());
  return word;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view one) { return base::equals_ignoring_case(word, one); });
}

[[noreturn]] void refuse(std::string_view word, std::string_view why) {
  throw SqlError(SqlErrorKind::Statement, std::string(word) + ": " + std::string(why));
}

}  // namespace

void check_statement(std::string_view text, Place place) {
  const std::string_view first = take_word(text);
  if (is_one_of(first, {"begin", "start", "commit", "end", "abort", "rollback", "savepoint", "release"})) {
    refuse(first, "a transaction begins and ends with transaction(), not with a statement");
  }
  if (is_one_of(first, {"listen", "unlisten"})) refuse(first, "listen() has a connection for it");
  if (is_one_of(first, {"copy"})) refuse(first, "copy_in() and copy_out() take it");
  if (is_one_of(first, {"prepare", "deallocate", "discard", "declare"})) {
    refuse(first, "other statements use the same connection");
  }
  if (!is_one_of(first, {"set", "reset"})) return;
  const std::string_view second = take_word(text);
  if (place == Place::InTransaction && is_one_of(first, {"set"}) && is_one_of(second, {"local", "constraints"})) return;
  refuse(first,
         "other statements use the same connection: settings are a part of the connection string (options='-c …'), "
         "or of a transaction (SET LOCAL)");
}

std::int64_t changed_rows(std::string_view tag) noexcept {
  if (!tag.starts_with("INSERT") && !tag.starts_with("UPDATE") && !tag.starts_with("DELETE") &&
      !tag.starts_with("MERGE") && !tag.starts_with("COPY")) {
    return 0;
  }
  const std::size_t space = tag.rfind(' ');
  if (space == std::string_view::npos) return 0;
  return base::parse_integer<std::int64_t>(tag.substr(space + 1)).value_or(0);
}

}  // namespace tern::postgres
