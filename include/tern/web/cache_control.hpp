// The Cache-Control field of responses.
#pragma once

#include <tern/base/duration.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace tern {

// Who may store a response. Unset: RFC 9111, section 3 decides (not a shared cache where the request was authorized).
enum class CacheScope : std::uint8_t { Unset, Private, Public };

// Directives for caches (RFC 9111, section 5.2.2):
//   response.set("Cache-Control", to_field_value(CacheControl{.max_age = Seconds(60)}));
struct CacheControl {
  CacheScope scope = CacheScope::Unset;
  bool no_store = false;                               // no cache stores it
  bool no_cache = false;                               // a cache asks the server before each use
  bool no_transform = false;                           // proxies, and Tern's compression, leave the content as it is
  bool must_revalidate = false;                        // never served stale
  bool immutable = false;                              // not even a reload asks again (RFC 8246)
  std::optional<Seconds> max_age = {};                 // how long it is fresh
  std::optional<Seconds> shared_max_age = {};          // the same for shared caches: s-maxage
  std::optional<Seconds> stale_while_revalidate = {};  // RFC 5861, section 3
  std::optional<Seconds> stale_if_error = {};          // RFC 5861, section 4
};

// The value of the field. Throws std::invalid_argument, naming the directives, for negative durations and for
// directives that contradict each other: `no_store` with any but `no_transform` and Private, Private with
// `shared_max_age`, `immutable` without `max_age`, `must_revalidate` with a `stale_` duration.
std::string to_field_value(const CacheControl& control);

}  // namespace tern
