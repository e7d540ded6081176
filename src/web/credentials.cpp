#include "web/credentials.hpp"

#include "web/base64url.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/utf8.hpp>

#include <algorithm>

namespace tern::web {
namespace {

constexpr std::size_t max_basic_size = 8 * 1024;

// Base64 with padding (RFC 4648, section 4), one text for each sequence of bytes.
std::optional<std::string> from_padded_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.find_first_of("-_") != text.npos) return std::nullopt;
  std::string digits(text);
  std::ranges::replace(digits, '+', '-');
  std::ranges::replace(digits, '/', '_');
  return from_base64url(digits);
}

}  // namespace

std::optional<std::string_view> credentials_of(const Request& request, std::string_view scheme) noexcept {
  std::optional<std::string_view> found;
  for (const Field& field : request.fields()) {
    if (!base::equals_ignoring_case(field.name, "authorization")) continue;
    const std::string_view name = field.value.substr(0, field.value.find(' '));
    if (!base::equals_ignoring_case(name, scheme)) continue;
    found =
        request.fields().count("authorization") > 1 ? std::string_view() : base::trim(field.value.substr(name.size()));
  }
  return found;
}

bool is_bearer_token(std::string_view text) noexcept {
  while (text.ends_with('=')) text.remove_suffix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return base::is_alpha(c) || base::is_digit(c) || std::string_view("-._~+/").contains(c);
  });
}

std::optional<std::pair<std::string, std::string>> decode_basic(std::string_view credentials) {
  if (credentials.size() > max_basic_size) return std::nullopt;
  const auto text = from_padded_base64(credentials);
  if (!text || !base::is_utf8(*text)) return std::nullopt;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; };
  const std::size_t colon = text->find(':');
  if (colon == text->npos || std::ranges::any_of(*text, is_control)) return std::nullopt;
  return std::pair(text->substr(0, colon), text->substr(colon + 1));
}

}  // namespace tern::web
