// From decoded fields to the head of a request (RFC 9113, section 8.3): the same head, by the same rules, that HTTP/1.1
// reads. RequestRules have seen to the order of pseudo-fields, to names, values and the fields that frame a connection;
// what is left is what they say.
#pragma once

#include "http2/known_blocks.hpp"
#include "http2/limits.hpp"
#include "http2/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::http2 {

// Reads one header block at a time, as HTTP/2 sends them.
class HeadReader {
public:
  explicit HeadReader(const Limits& limits) noexcept : limits_(&limits) {}

  // A block begins: of `stream`, or of one that is not read (null), or trailers. Past a limit, the content is refused.
  void begin(Stream* stream, bool trailers) noexcept;
  bool within() const noexcept { return within_; }
  bool in_trailers() const noexcept { return trailers_; }

  // A field. Names and values that are `lasting` need not be copied. False when the block has grown past all measure.
  bool field(std::string_view name, bool name_lasts, std::string_view value, bool value_lasts);
  // The field that comes next holds what it may not.
  void unfit_field() noexcept { refuse({Status::BadRequest, "a malformed field (RFC 9113, 8.2.1)"}); }

  // The rest of the block is not told any more.
  void give_up() noexcept {
    stream_ = nullptr;
    within_ = false;
  }
  // The stream is gone, in the middle of its head maybe.
  void forget(const Stream& stream) noexcept {
    if (stream_ == &stream) give_up();
  }

  // The block is complete: decides whether the request is one.
  void end();
  // The same for a block whose fields were not given because it is known.
  void end(const KnownBlock& known);
  // The head that the last block made, where the same block makes the same head of every request without content.
  const RequestHead* lasting() const noexcept;

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
  std::size_t decoded_ = 0;  // bytes, whatever becomes of them
  std::size_t bytes_ = 0;    // of fields
  std::size_t count_ = 0;
  std::string_view authority_;
  std::size_t cookies_ = 0;
  bool method_known_ = false;
  bool has_host_ = false;
  bool within_ = false;
  bool trailers_ = false;
};

}  // namespace tern::http2
