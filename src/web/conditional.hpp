// Tags of dynamic contents, and conditional requests for them.
#pragma once

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tern::web {

// Larger contents are hashed on the thread pool.
inline constexpr std::size_t max_hashed_at_once = 256 * 1024;

// A strong tag with its quotes: 128 bits of a hash of the content.
std::string content_tag(std::string_view content);

// Whether it is a complete 200 with content of its own that has no ETag.
bool wants_tag(const Response& response) noexcept;

// The response to `request` if `response` is what a request without conditions gets: itself, 304 or 412. Work after the
// response is kept.
Response evaluate_conditions(const Request& request, Response response);

// Whether a 304 has the field of that name of its 200 (RFC 9110, section 15.4.5).
bool belongs_to_not_modified(std::string_view name) noexcept;

}  // namespace tern::web
