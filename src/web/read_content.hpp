// Content that a middleware needs: its signature, or its hash.
#pragma once

#include <tern/coro/task.hpp>
#include <tern/http/exchange.hpp>

#include <cstddef>
#include <expected>

namespace tern::web {

// Reads all content into Request::body(), at most `max_bytes` or the route's limit. The handler's extractors get it
// afterwards, and a BodyStream as its first piece.
Task<std::expected<void, StreamError>> read_content(Request& request, std::size_t max_bytes);

}  // namespace tern::web
