// Fuzzes patterns of rules: the first line is the expression, the rest the text. The tables that match simple
// expressions must find what RE2 finds. script/fuzz runs it.
#include "json/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view expression = input.substr(0, end);
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const tern::json::detail::Pattern pattern(expression);
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 regex(re2::StringPiece(expression.data(), expression.size()), options);
  if (regex.ok() != pattern.error().empty()) std::abort();
  if (!regex.ok()) return 0;
  const bool is_found = re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
  if (pattern.is_in(text) != is_found) std::abort();
  return 0;
}
