#include "web/decoder.hpp"

#include <tern/base/ascii.hpp>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace tern::web {
namespace {

using http::ContentDecoder;

uInt to_uint(std::size_t size) noexcept {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

class ZlibDecoder final : public ContentDecoder {
public:
  enum class Format { Zlib, Gzip };

  explicit ZlibDecoder(Format format) : has_members_(format == Format::Gzip) {
    if (inflateInit2(&stream_, format == Format::Gzip ? MAX_WBITS + 16 : MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibDecoder() override { inflateEnd(&stream_); }

  Decoded decode(std::string_view& input, char* out, std::size_t room) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));  // zlib does not write there
    stream_.avail_in = to_uint(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = to_uint(room);
    const State state = inflate_members();
    input.remove_prefix(input.size() - stream_.avail_in);
    return {state, room - stream_.avail_out};
  }
  bool complete() const noexcept override { return complete_; }
  std::size_t memory() const noexcept override { return std::size_t{40} * 1024; }

private:
  // The content of gzip is a sequence of members (RFC 1952, section 2.2).
  State inflate_members() {
    while (true) {
      if (complete_ && stream_.avail_in != 0) {
        if (!has_members_) return State::Malformed;
        inflateReset(&stream_);
        complete_ = false;
      }
      if (complete_) return State::NeedsInput;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) return State::OutOfMemory;
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return State::Malformed;
      complete_ = result == Z_STREAM_END;
      if (!complete_) return stream_.avail_out == 0 ? State::HasMore : State::NeedsInput;
    }
  }

  z_stream stream_{};
  bool has_members_;
  bool complete_ = false;
};

class BrotliDecoder final : public ContentDecoder {
public:
  BrotliDecoder() : state_(BrotliDecoderCreateInstance(&allocate, &release, &memory_)) {
    if (state_ == nullptr) throw std::bad_alloc();
  }
  ~BrotliDecoder() override { BrotliDecoderDestroyInstance(state_); }

  Decoded decode(std::string_view& input, char* out, std::size_t room) override {
    if (complete_) return {input.empty() ? State::NeedsInput : State::Malformed};
    std::size_t left = input.size();
    std::size_t free = room;
    const auto* from = reinterpret_cast<const std::uint8_t*>(input.data());
    auto* to = reinterpret_cast<std::uint8_t*>(out);
    const BrotliDecoderResult result = BrotliDecoderDecompressStream(state_, &left, &from, &free, &to, nullptr);
    input.remove_prefix(input.size() - left);
    return {state_of(result, left), room - free};
  }
  bool complete() const noexcept override { return complete_; }
  std::size_t memory() const noexcept override { return memory_; }

private:
  State state_of(BrotliDecoderResult result, std::size_t left) {
    switch (result) {
      case BROTLI_DECODER_RESULT_SUCCESS: complete_ = true; return left == 0 ? State::NeedsInput : State::Malformed;
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return State::NeedsInput;
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return State::HasMore;
      case BROTLI_DECODER_RESULT_ERROR: break;
    }
    const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_);
    const bool no_memory =
        code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    return no_memory ? State::OutOfMemory : State::Malformed;
  }

  // The window is as large as the content says, up to 16 MiB. The size of a block stands in front of it.
  static constexpr std::size_t prefix = alignof(std::max_align_t);
  static void* allocate(void* memory, std::size_t size) {
    void* const block = std::malloc(size + prefix);
    if (block == nullptr) return nullptr;
    *static_cast<std::size_t*>(block) = size;
    *static_cast<std::size_t*>(memory) += size;
    return static_cast<char*>(block) + prefix;
  }
  static void release(void* memory, void* address) {
    if (address == nullptr) return;
    void* const block = static_cast<char*>(address) - prefix;
    *static_cast<std::size_t*>(memory) -= *static_cast<std::size_t*>(block);
    std::free(block);
  }

  std::size_t memory_ = 0;
  ::BrotliDecoderState* state_;
  bool complete_ = false;
};

class ZstdDecoder final : public ContentDecoder {
public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    constexpr int max_window_bits = 23;  // RFC 9659
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, max_window_bits);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }

  // Frames follow one another (RFC 8878, section 3).
  Decoded decode(std::string_view& input, char* out, std::size_t room) override {
    ZSTD_inBuffer from = {input.data(), input.size(), 0};
    ZSTD_outBuffer to = {out, room, 0};
    while (true) {
      const std::size_t result = ZSTD_decompressStream(context_, &to, &from);
      if (ZSTD_isError(result) != 0) {
        const bool no_memory = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
        return {no_memory ? State::OutOfMemory : State::Malformed, to.pos};
      }
      complete_ = result == 0;
      const bool full = to.pos == to.size;
      if (!full && from.pos != from.size) continue;
      input.remove_prefix(from.pos);
      return {full && !complete_ ? State::HasMore : State::NeedsInput, to.pos};
    }
  }
  bool complete() const noexcept override { return complete_; }
  std::size_t memory() const noexcept override { return ZSTD_sizeof_DCtx(context_); }

private:
  ZSTD_DCtx* context_;
  bool complete_ = false;
};

// Decodes by `first`, and its output by `second`.
class ChainedDecoder final : public ContentDecoder {
public:
  ChainedDecoder(base::Box<ContentDecoder> first, base::Box<ContentDecoder> second, std::size_t max_bytes)
      : first_(std::move(first)), second_(std::move(second)), max_bytes_(max_bytes), room_(piece, '\0') {}

  Decoded decode(std::string_view& input, char* out, std::size_t room) override {
    if (between_.empty() && !second_has_more_) {
      const Decoded decoded = first_->decode(input, room_.data(), room_.size());
      if (is_error(decoded.state)) return {decoded.state};
      first_has_more_ = decoded.state == State::HasMore;
      between_ = std::string_view(room_).substr(0, decoded.size);
      passed_ += decoded.size;
      if (passed_ > max_bytes_) return {State::TooLarge};
    }
    Decoded decoded;
    if (!between_.empty() || second_has_more_) decoded = second_->decode(between_, out, room);
    if (is_error(decoded.state)) return decoded;
    second_has_more_ = decoded.state == State::HasMore;
    const bool has_more = first_has_more_ || second_has_more_ || !between_.empty() || !input.empty();
    return {has_more ? State::HasMore : State::NeedsInput, decoded.size};
  }
  bool complete() const noexcept override { return first_->complete() && second_->complete(); }
  std::size_t memory() const noexcept override { return piece + first_->memory() + second_->memory(); }

private:
  static constexpr std::size_t piece = 16 * 1024;

  static bool is_error(State state) noexcept { return state != State::NeedsInput && state != State::HasMore; }

  base::Box<ContentDecoder> first_;
  base::Box<ContentDecoder> second_;
  std::size_t max_bytes_;
  std::size_t passed_ = 0;
  std::string room_;
  std::string_view between_;
  bool first_has_more_ = false;
  bool second_has_more_ = false;
};

base::Box<ContentDecoder> make_one(std::string_view name) {
  const auto is = [name](std::string_view other) { return base::equals_ignoring_case(name, other); };
  ContentDecoder* decoder = nullptr;
  if (is("gzip") || is("x-gzip")) decoder = new ZlibDecoder(ZlibDecoder::Format::Gzip);
  if (is("deflate")) decoder = new ZlibDecoder(ZlibDecoder::Format::Zlib);
  if (is("br")) decoder = new BrotliDecoder;
  if (is("zstd")) decoder = new ZstdDecoder;
  return base::Box<ContentDecoder>(decoder);
}

}  // namespace

base::Box<http::ContentDecoder> make_decoder(std::span<const std::string_view> codings, std::size_t max_bytes) {
  base::Box<ContentDecoder> decoder;
  for (const std::string_view coding : codings) {
    base::Box<ContentDecoder> one = make_one(coding);
    if (!one) return {};
    if (!decoder) {
      decoder = std::move(one);
    } else {
      decoder = base::Box<ContentDecoder>(new ChainedDecoder(std::move(one), std::move(decoder), max_bytes));
    }
  }
  return decoder;
}

}  // namespace tern::web
