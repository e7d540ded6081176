// Decides whether a response is compressed, and compresses it.
//
// The life of a response: negotiate() before the handler is called; plan() decides by its head, adds Vary, and the
// content is compressed at once, on the pool, or while it is produced. The head changes when the coded content, or the
// encoder of a stream, exists: without memory the response stays as it is.
#pragma once

#include "web/encoder.hpp"
#include "web/zstd_contexts.hpp"

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>
#include <tern/web/compress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

enum class Plan : std::uint8_t { Unchanged, AtOnce, OnPool, Streamed };

// Const functions may be called from several threads.
class Compressor {
public:
  // Throws std::invalid_argument; see Compress.
  explicit Compressor(CompressOptions options);

  const CompressOptions& options() const noexcept { return options_; }
  // Unset: nothing is acceptable.
  std::optional<ContentCoding> negotiate(const Request& request) const noexcept;
  // What is to be done with the response to `request`; adds its Vary, and weakens the ETag of a 304.
  Plan plan(const Request& request, Response& response, ContentCoding coding) const noexcept;

  // The coded content. Unset where there is no memory.
  std::optional<std::string> encode(std::string_view content, ContentCoding coding) const noexcept;
  // Puts the coded content into the response, unless it is larger and identity may be sent.
  void replace(Response& response, ContentCoding coding, std::optional<std::string> coded, bool must) const noexcept;
  // Wraps the producer.
  void wrap(Response& response, ContentCoding coding) const noexcept;

private:
  Plan decide(const Request& request, Response& response, ContentCoding coding) const;
  std::size_t padding() const;
  EncoderSettings settings(ContentCoding coding) const;

  CompressOptions options_;
  mutable ZstdContexts contexts_;
};

// Whether the client accepts no content as it is.
bool refuses_identity(const Request& request) noexcept;

}  // namespace tern::web
