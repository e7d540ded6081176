// What a cache may store and serve (RFC 9111), for the caches of routes.
#pragma once

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>
#include <tern/web/cache.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::web {

// The directives of Cache-Control fields, of a request or a response. Unknown ones are ignored; durations in seconds,
// and 0 for malformed ones (section 4.2.1).
struct CacheDirectives {
  bool no_store = false;
  bool no_cache = false;  // also no-cache="field"
  bool is_private = false;
  bool is_public = false;
  bool must_revalidate = false;  // or proxy-revalidate
  bool only_if_cached = false;
  std::optional<std::uint32_t> max_age = {};
  std::optional<std::uint32_t> shared_max_age = {};
  std::optional<std::uint32_t> min_fresh = {};
  std::optional<std::uint32_t> stale_while_revalidate = {};
  std::optional<std::uint32_t> stale_if_error = {};

  // Adds those of one field.
  void read(std::string_view list) noexcept;
  // Of a request: whether it may get less than everything that is stored.
  bool limits_freshness() const noexcept { return no_cache || max_age || min_fresh; }
  void forget_freshness() noexcept {
    no_cache = false;
    max_age = min_fresh = std::nullopt;
  }
};

CacheDirectives directives_of(const Request& request) noexcept;
CacheDirectives directives_of(const Response& response) noexcept;

// Whether requests like this have nothing to do with a cache: other methods, ranges, contents, upgrades.
bool bypasses_cache(const Request& request) noexcept;

// Whether the response may be for this client only: Authorization, Cookie, a certificate, or an identity, unless the
// options cover it.
bool has_credentials(const Request& request, const CacheOptions& options) noexcept;

// How long a response is kept, in milliseconds.
struct Lifetime {
  std::uint64_t fresh = 0;
  std::uint64_t stale_while_revalidate = 0;  // behind `fresh`, and so is the next
  std::uint64_t stale_if_error = 0;
  std::uint64_t age = 0;  // of a response that another cache had
  bool is_public = false;
};

// Unset if the response must not be stored. `now` in seconds since 1970.
std::optional<Lifetime> lifetime_of(const Response& response, const CacheOptions& options, std::int64_t now) noexcept;

}  // namespace tern::web
