// What nghttp2 allocates, from the blocks of the thread: several small pieces for each stream, and as many for each
// answer.
#pragma once

#include <nghttp2/nghttp2.h>

namespace tern::http2 {

// For as many sessions as there are, on any thread. Lives as long as the program.
nghttp2_mem& pooled_memory() noexcept;

}  // namespace tern::http2
