// Conditional requests (RFC 9110, section 13).
#pragma once

#include <tern/http/request.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::web {

// Of the representation that would be sent.
struct Validators {
  std::string_view etag;                 // with its quotes; empty: none
  std::optional<std::int64_t> modified;  // Last-Modified, in seconds since 1970
};

enum class Precondition : std::uint8_t {
  Holds,
  NotModified,  // 304
  Failed,       // 412
};

// The outcome of If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of section 13.2.2,
// for GET and HEAD. Malformed tags match nothing; malformed dates are ignored.
Precondition check_preconditions(const Request& request, const Validators& validators, std::int64_t now) noexcept;

// Whether the If-Match fields of the request have "*" or `etag`, by the strong comparison (section 13.1.1).
bool meets_if_match(const Request& request, std::string_view etag) noexcept;

// entity-tag of section 8.8.3, as a whole.
bool is_entity_tag(std::string_view text) noexcept;

// Whether a Range field applies: there is no If-Range, or it has exactly this representation's strong validator
// (section 13.1.5).
bool range_applies(const Request& request, const Validators& validators, std::int64_t now) noexcept;

}  // namespace tern::web
