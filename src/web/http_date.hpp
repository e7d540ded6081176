// Dates of requests (RFC 9110, section 5.6.7): the preferred format, and the two obsolete ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::web {

// Seconds since 1970-01-01T00:00:00Z; negative before. Unset for any other text. `now` resolves the two digits of RFC
// 850's year: a date more than 50 years ahead is in the past.
std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) noexcept;

}  // namespace tern::web
