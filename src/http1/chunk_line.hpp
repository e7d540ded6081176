// The line before a chunk's data (RFC 9112, section 7.1).
//
//   chunk-size [ chunk-ext ]
//   chunk-size = 1*HEXDIG                                    at most 16
//   chunk-ext  = *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )
//
// Extensions are validated and discarded.
#pragma once

#include "http1/fault.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::http1 {

inline constexpr std::size_t max_chunk_size_digits = 16;

struct ChunkLine {
  std::uint64_t size = 0;
  std::size_t extension = 0;  // bytes of the line that are extensions
};

// `line` comes from LineScanner: without CRLF and without control bytes except HTAB.
Fault parse_chunk_line(std::string_view line, ChunkLine& chunk) noexcept;

}  // namespace tern::http1
