#include "http/local_host.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>

namespace tern::http {

bool is_local_host(std::string_view host) noexcept {
  constexpr std::string_view below_localhost = ".localhost";
  if (host.starts_with('[')) return true;
  host = host.substr(0, host.find(':'));
  if (!host.contains('.')) return true;
  const bool is_address =
      std::ranges::all_of(host, [](char c) { return c == '.' || base::is_digit(c); }) && host.back() != '.';
  return is_address || (host.size() > below_localhost.size() &&
                        base::equals_ignoring_case(host.substr(host.size() - below_localhost.size()), below_localhost));
}

bool LocalHosts::examine(std::string_view host) noexcept {
  if (!is_local_host(host)) return false;
  if (host.empty() || host.size() > max_length || taken_.load(std::memory_order_relaxed) >= max_known) return true;
  const std::size_t place = taken_.fetch_add(1, std::memory_order_relaxed);
  if (place >= max_known) return true;
  host.copy(known_[place].text.data(), host.size());
  known_[place].size.store(static_cast<std::uint8_t>(host.size()), std::memory_order_release);
  return true;
}

}  // namespace tern::http
