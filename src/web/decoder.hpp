// Decoders of the content codings: gzip and deflate by zlib (RFC 1952, 1950), Brotli (RFC 7932), zstd (RFC 8878).
#pragma once

#include <tern/base/box.hpp>
#include <tern/http/content_decoder.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace tern::web {

inline constexpr std::size_t max_codings = 3;

// For content with these codings, in the order in which they were applied. Null if one of them is unknown, or there are
// none. What an inner decoder gets may have at most `max_bytes`. Throws std::bad_alloc.
base::Box<http::ContentDecoder> make_decoder(std::span<const std::string_view> codings, std::size_t max_bytes);

}  // namespace tern::web
