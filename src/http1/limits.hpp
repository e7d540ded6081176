// Limits on requests.
#pragma once

#include <cstddef>

namespace tern::http1 {

// In bytes unless stated otherwise. One per server; connections hold a reference.
struct Limits {
  std::size_t request_line = 8 * 1024;       // 414 beyond it
  std::size_t fields = 80 * 1024;            // 431: all field lines of a head together
  std::size_t field_count = 100;             // 431: in a head, and again in a trailer section; at most 65535
  std::size_t trailers = 8 * 1024;           // 431: all trailer lines together
  std::size_t chunk_extensions = 16 * 1024;  // 400: beyond the allowance that content earns (one byte for sixteen)
  std::size_t blank_lines = 4;               // 400: empty lines before a request line
};

}  // namespace tern::http1
