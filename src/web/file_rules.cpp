#include "web/file_rules.hpp"

#include "web/media_type.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <utility>

namespace tern::web {
namespace {

std::vector<std::string> field_values(const std::vector<FileCacheRule>& rules) {
  std::vector<std::string> values;
  for (const FileCacheRule& rule : rules) values.push_back(to_field_value(rule.control));
  return values;
}

bool is_hexadecimal_hash(std::string_view text) noexcept {
  bool has_letter = false;
  bool has_digit = false;
  for (const char c : text) {
    has_digit = has_digit || base::is_digit(c);
    has_letter = has_letter || (c >= 'a' && c <= 'f');
    if (!base::is_digit(c) && (c < 'a' || c > 'f')) return false;
  }
  return text.size() >= 8 && has_letter && has_digit;
}

// Eight characters of base 32 or 64: an upper-case letter, and a digit that is not at the end, as in "Version2".
bool is_short_hash(std::string_view text) noexcept {
  if (text.size() != 8) return false;
  const bool is_plain = std::ranges::all_of(text, [](char c) { return base::is_alpha(c) || base::is_digit(c); });
  const bool has_upper = std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
  while (!text.empty() && base::is_digit(text.back())) text.remove_suffix(1);
  return is_plain && has_upper && std::ranges::any_of(text, base::is_digit);
}

}  // namespace

bool has_content_hash(std::string_view path) noexcept {
  std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  name = name.substr(0, dot);
  if (name.ends_with(".min")) name.remove_suffix(4);
  const std::size_t separator = name.find_last_of(".-_");
  if (separator == std::string_view::npos) return false;
  const std::string_view hash = name.substr(separator + 1);
  return is_hexadecimal_hash(hash) || is_short_hash(hash);
}

// Linear but for the last '*', from which it tries again.
bool matches_pattern(std::string_view pattern, std::string_view text) noexcept {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

FileRules::FileRules(const FileOptions& options)
    : rules_(options.cache),
      types_(options.types),
      hashed_names_(options.hashed_names),
      cache_controls_(field_values(options.cache)) {}

std::string_view FileRules::media_type(std::string_view path) const {
  const std::string_view extension = extension_of(path);
  for (const FileType& type : types_) {
    if (base::equals_ignoring_case(type.extension, extension)) return type.media_type;
  }
  return media_type_of(path);
}

std::string FileRules::cache_control(std::string_view path, std::string_view media_type) const {
  for (std::size_t i = 0; i < cache_controls_.size(); ++i) {
    if (matches_pattern(rules_[i].pattern, path)) return cache_controls_[i];
  }
  if (media_type.starts_with("text/html")) return "no-cache";
  if (hashed_names_ && has_content_hash(path)) return std::string(immutable_for_a_year);
  return {};
}

}  // namespace tern::web
