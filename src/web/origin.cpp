#include "web/origin.hpp"

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <algorithm>

namespace tern::web {
namespace {

bool is_name_character(char c) noexcept {
  return base::is_alpha(c) || base::is_digit(c) || c == '.' || c == '-' || c == '_';
}

// A registered name, an IPv4 address, or an IPv6 address in brackets.
bool is_host(std::string_view host) noexcept {
  if (host.empty()) return false;
  if (!host.starts_with('[')) return std::ranges::all_of(host, is_name_character);
  if (!host.ends_with(']') || host.size() < 4) return false;
  return std::ranges::all_of(host.substr(1, host.size() - 2),
                             [](char c) { return base::hex_value(c) >= 0 || c == ':' || c == '.'; });
}

}  // namespace

bool matches_host(std::string_view pattern, std::string_view host) noexcept {
  if (!pattern.starts_with('.')) return base::equals_ignoring_case(pattern, host);
  return host.size() > pattern.size() && base::equals_ignoring_case(pattern, host.substr(host.size() - pattern.size()));
}

std::uint16_t default_port(std::string_view scheme) noexcept {
  return base::equals_ignoring_case(scheme, "https") ? 443 : 80;
}

std::optional<Authority> parse_authority(std::string_view text, std::uint16_t default_port) noexcept {
  const std::size_t inside = text.starts_with('[') ? text.find(']') : 0;
  if (inside == text.npos) return std::nullopt;
  const std::size_t colon = std::min(text.find(':', inside), text.size());
  Authority authority{text.substr(0, colon), default_port};
  if (!is_host(authority.host)) return std::nullopt;
  if (colon == text.size()) return authority;
  const auto port = base::parse_integer<std::uint16_t>(text.substr(colon + 1));
  if (!port || *port == 0) return std::nullopt;
  authority.port = *port;
  return authority;
}

std::optional<Origin> parse_origin(std::string_view text) noexcept {
  const std::size_t end = text.find("://");
  if (end == text.npos) return std::nullopt;
  const std::string_view scheme = text.substr(0, end);
  if (!base::equals_ignoring_case(scheme, "http") && !base::equals_ignoring_case(scheme, "https")) return std::nullopt;
  const auto authority = parse_authority(text.substr(end + 3), default_port(scheme));
  if (!authority) return std::nullopt;
  return Origin{scheme, authority->host, authority->port};
}

OriginList::OriginList(const std::vector<std::string>& origins, std::string_view option) {
  for (const std::string& text : origins) {
    std::string plain = text;
    const std::size_t star = plain.find("://*.");
    if (star != plain.npos) plain.erase(star + 3, 2);
    const auto origin = parse_origin(plain);
    if (!origin) {
      throw SetupError(std::string(option) + ": '" + text +
                       "' is not an origin: it has the form https://example.org or https://example.org:8443, without a "
                       "path, or https://*.example.org for all subdomains");
    }
    std::string host(origin->host);
    std::ranges::transform(host, host.begin(), base::to_lower);
    if (star != text.npos) host.insert(0, 1, '.');
    entries_.push_back({std::string(origin->scheme), std::move(host), origin->port});
  }
}

bool OriginList::contains(std::string_view text) const noexcept {
  const auto origin = parse_origin(text);
  if (!origin) return false;
  return std::ranges::any_of(entries_, [&origin](const Entry& entry) {
    return entry.port == origin->port && base::equals_ignoring_case(entry.scheme, origin->scheme) &&
           matches_host(entry.host, origin->host);
  });
}

}  // namespace tern::web
