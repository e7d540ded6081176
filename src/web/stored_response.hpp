// A response that a cache has stored.
#pragma once

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>
#include <tern/web/cache.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

// Immutable once it is shared between loops.
struct StoredResponse {
  Status status = Status::Ok;
  Fields fields = {};        // with Content-Type
  Fields not_modified = {};  // of a 304
  std::string content = {};
  std::string etag = {};                      // with its quotes; empty: none
  std::optional<std::int64_t> modified = {};  // Last-Modified, in seconds since 1970
  std::string path = {};
  std::vector<std::string> tags = {};
  std::uint64_t stored_at = 0;  // in milliseconds of the loops' clock
  std::uint64_t first_age = 0;  // at that time, in milliseconds
  bool is_public = false;
};

using SharedResponse = std::shared_ptr<const StoredResponse>;

// A copy of a response that may be stored. Throws std::bad_alloc.
std::shared_ptr<StoredResponse> make_stored(const Response& response, const Request& request);

// Without sizeof(StoredResponse).
std::size_t size_of(const StoredResponse& stored) noexcept;

// The response to a GET or HEAD: the stored one with its Age, 304 or 412. Its content is borrowed: the request keeps
// it.
Response serve_stored(SharedResponse stored, Request& request, std::uint64_t now);

}  // namespace tern::web
