// Middleware that compresses responses.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/box.hpp>
#include <tern/web/content_coding.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tern {

namespace web {
class Compressor;
}

struct CompressOptions {
  // The codings that are offered; where a client likes several equally, the first of them.
  std::vector<web::ContentCoding> codings = {web::ContentCoding::Zstd, web::ContentCoding::Brotli,
                                             web::ContentCoding::Gzip};
  int zstd_level = 3;      // 1 to 19
  int brotli_quality = 4;  // 0 to 11
  int gzip_level = 6;      // 1 to 9
  // Smaller contents are sent as they are: they fit into one packet anyway.
  std::size_t min_bytes = 1024;
  // Media types that are compressed in addition to text, JSON, XML, scripts, fonts and the like: "application/x-log",
  // "model/*".
  std::vector<std::string> types = {};
  // Against BREACH, where content has a secret beside text from the request: each compressed content grows by a random
  // number of bytes, up to this one (at most 4,096). Zstd is not offered then.
  std::size_t max_padding_bytes = 0;
};

// Compresses contents by the client's Accept-Encoding (RFC 9110, section 12.5.3), for an app, a group or a route:
//
//   app.use(tern::Compress());
//
// Contents that a handler streams are compressed too, and reach the client as soon as without. Contents of more than
// 64 KiB are compressed on the thread pool. A strong ETag becomes a weak one. A client that refuses every coding and
// identity gets 406 before the handler is called.
//
// As it is stays a response with Content-Encoding, Content-Range, a digest of its content, or
// `Cache-Control: no-transform`, and one that would not become smaller.
class Compress {
public:
  Compress() : Compress(CompressOptions()) {}
  // Throws std::invalid_argument for a level out of its range, and for `codings` that are empty or have Identity.
  explicit Compress(CompressOptions options);
  Compress(const Compress& other);
  Compress(Compress&& other) noexcept = default;
  Compress& operator=(Compress other) noexcept;

  Reply operator()(Request& request, Next next) const;

private:
  base::Box<web::Compressor> compressor_;
};

}  // namespace tern
