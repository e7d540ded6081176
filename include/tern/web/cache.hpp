// Middleware that stores responses and serves them again.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/duration.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

namespace web {
class ResponseCache;
}

struct CacheOptions {
  // How long a response is fresh. s-maxage, max-age or Expires of the response make it shorter, not longer.
  Milliseconds ttl = Seconds(1);
  // Fields of requests that the response depends on, in addition to those in its Vary.
  std::vector<std::string> vary = {};
  // How long behind `ttl` a response is still served, while it is made anew in the background. The directives of
  // RFC 5861 in a response take precedence over these two.
  Milliseconds stale_while_revalidate = Milliseconds(0);
  // How long behind `ttl` a response is served in place of a 5xx.
  Milliseconds stale_if_error = Milliseconds(0);
  // Responses do not depend on Authorization, Cookie and client certificates. Otherwise, requests with one of them
  // neither get nor store a response that is not `Cache-Control: public`.
  bool ignore_credentials = false;
  // Ignores no-cache, max-age and min-fresh of requests: a client's reload gets what is stored.
  bool ignore_reload = false;
  // Adds an ETag, a hash of the content, to responses without one.
  bool etag = true;
  // Of all that is stored, with keys and fields. The least recently used is dropped.
  std::size_t max_bytes = 64 * 1024 * 1024;
  // Larger contents are not stored.
  std::size_t max_content_bytes = 1024 * 1024;
  // A request that has waited so long for the response of another one calls its handler itself.
  Milliseconds max_wait = Seconds(5);
};

struct CacheCounts {
  std::uint64_t hits = 0;    // served from the cache, stale ones too
  std::uint64_t misses = 0;  // that called the handler
  std::size_t responses = 0;
  std::size_t bytes = 0;
};

// A cache for an app, a group or a route (RFC 9111):
//
//   app.get("/reports", reports).use(tern::cache({.ttl = tern::Seconds(10)}));
//
// Responses to GET are stored, and serve GET and HEAD of the same scheme, host, path, query and fields of Vary. Of
// several requests for what is not stored, on any loop, one calls the handler, and the others wait for its response.
// Not stored are other statuses than 200, 203, 204, 301, 308, 404 and 410, streams and files, and responses with
// Set-Cookie, `Vary: *`, a Content-Encoding other than gzip, br and zstd, or private, no-store or no-cache in
// Cache-Control.
//
// A handle: copies use the same store, so that a handler can clear what another one has made. From any thread.
class Cache {
public:
  Cache() : Cache(CacheOptions()) {}
  // Throws std::invalid_argument for negative durations, a `ttl` of 0, and names that no field can have.
  explicit Cache(CacheOptions options);
  Cache(const Cache& other) noexcept;
  Cache& operator=(const Cache& other) noexcept;
  ~Cache();

  Reply operator()(Request& request, Next next) const;

  // Removes everything. A response that is made during the call is not stored.
  void clear() const;
  // Removes the responses of a path, with all queries and fields, or of all paths that match a pattern, in which '*' is
  // any text: clear("/books/7"), clear("/books*"). Takes time for each stored response. Returns their number.
  std::size_t clear(std::string_view pattern) const;
  // The same for responses that have the tag in their Cache-Tag field: response.set("Cache-Tag", "books, book-7").
  std::size_t clear_tag(std::string_view tag) const;

  CacheCounts counts() const;

private:
  web::ResponseCache* cache_;  // counts its owners
};

inline Cache cache(CacheOptions options = {}) {
  return Cache(std::move(options));
}

}  // namespace tern
