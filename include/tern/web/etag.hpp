// Middleware that gives responses an ETag, and answers conditional requests.
#pragma once

#include <tern/app/middleware.hpp>

namespace tern {

struct ETagOptions {
  // Weak tags (W/"…") promise an equivalent content and not the same bytes (RFC 9110, section 8.8.1).
  bool weak = false;
};

// Adds an ETag, a hash of the content, to complete 200 responses to GET and HEAD, and answers If-None-Match with 304
// and If-Match with 412, for an app, a group or a route:
//
//   app.use(tern::ETag());
//
// The handler is called nevertheless: this saves the transfer, tern::cache() saves the work. A response that has an
// ETag keeps it, and its conditions are evaluated too. Streams and files stay as they are. Contents of more than 256
// KiB are hashed on the thread pool. With Compress, in either order.
class ETag {
public:
  ETag() noexcept = default;
  explicit ETag(ETagOptions options) noexcept : options_(options) {}

  Reply operator()(Request& request, Next next) const;

private:
  ETagOptions options_ = {};
};

}  // namespace tern
