// Middleware that decodes the contents of requests.
#pragma once

#include <tern/app/middleware.hpp>

namespace tern {

// Decodes contents with Content-Encoding gzip, br, zstd or deflate (RFC 9110, section 8.4), for an app, a group or a
// route; up to three codings in sequence. Handlers and extractors get the decoded content, whether they take it
// complete or as it arrives:
//
//   app.post("/measurements", store).use(tern::Decompress());
//
// Limits::max_body_bytes applies to the decoded content as well: beyond it 413, after so many bytes and no more. 400
// for content that is malformed or truncated, or has data behind its end; 415 for an unknown coding.
struct Decompress {
  Reply operator()(Request& request, Next next) const;
};

}  // namespace tern
