// Builds the head of a request from decoded fields (RFC 9113, section 8.3), with the same result and rules as HTTP/1.1.
// RequestRules has already validated the order of pseudo-fields, names, values and connection-specific fields.
#pragma once

#include "http2/header_block_cache.hpp"
#include "http2/limits.hpp"
#include "http2/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::http2 {

// Reads one header block at a time, in the order of HTTP/2.
class HeadReader {
public:
  explicit HeadReader(const Limits& limits) noexcept : limits_(&limits) {}

  // Begins a block: of `stream` (null: ignored), or its trailers. Trailers beyond a limit reject the content.
  void begin(Stream* stream, bool trailers) noexcept;
  bool within() const noexcept { return within_; }
  bool in_trailers() const noexcept { return trailers_; }

  // Adds a field. Static names and values are not copied. False if the decoded block is too large to continue.
  bool field(std::string_view name, bool static_name, std::string_view value, bool static_value);
  // Rejects the request: the next field has an invalid name or value.
  void invalid_field() noexcept { refuse({Status::BadRequest, "a malformed field (RFC 9113, 8.2.1)"}); }

  // Ignores the rest of the block.
  void abandon() noexcept {
    stream_ = nullptr;
    within_ = false;
  }
  // The stream is closed, possibly before its head is complete.
  void forget(const Stream& stream) noexcept {
    if (stream_ == &stream) abandon();
  }

  // Ends the block: decides whether the request is valid.
  void end();
  // The same for a cached block, whose fields were not decoded.
  void end(const CachedHeaderBlock& cached);
  // The head of the last block if the same block always yields the same head, for a request without content; otherwise
  // null.
  const RequestHead* cacheable_head() const noexcept;

private:
  void pseudo_field(std::string_view name, std::string_view value);
  void plain_field(std::string_view name, std::string_view value);
  void trailer(std::string_view name, std::string_view value);
  void read_target();
  void join_cookies();
  void refuse(const Refusal& refusal) noexcept {
    if (stream_ == nullptr) return;
    std::optional<Refusal>& why = trailers_ ? stream_->content_refused_ : stream_->refused_;
    if (!why) why = refusal;
  }

  const Limits* limits_;
  Stream* stream_ = nullptr;
  std::size_t decoded_ = 0;  // bytes of the whole block, ignored fields included
  std::size_t bytes_ = 0;    // of fields that count towards the limit
  std::size_t count_ = 0;
  std::string_view authority_;
  std::size_t cookies_ = 0;
  bool method_known_ = false;
  bool has_host_ = false;
  bool within_ = false;
  bool trailers_ = false;
};

}  // namespace tern::http2
