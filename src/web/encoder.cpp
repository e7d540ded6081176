#include "web/encoder.hpp"

#include "web/brotli_encoder.hpp"
#include "web/zstd_contexts.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <new>

namespace tern::web {
namespace {

// The output grows by this much, and doubles.
constexpr std::size_t min_room = 512;

// By a call of our own, so that a test can make it fail.
void* allocate(void*, uInt count, uInt size) {
  return std::malloc(std::size_t{count} * size);
}
void release(void*, void* block) {
  std::free(block);
}

// Appends what `write(char* room, std::size_t size)` writes there; it returns the count.
template <class F>
void append_room(std::string& out, F write) {
  const std::size_t before = out.size();
  const std::size_t room = std::max({min_room, before, out.capacity() - before});
  out.resize_and_overwrite(before + room,
                           [&](char* bytes, std::size_t) { return before + write(bytes + before, room); });
}

class GzipEncoder final : public Encoder {
public:
  explicit GzipEncoder(const EncoderSettings& settings) : padding_(settings.padding, ' ') {
    constexpr int gzip = 16;  // added to the bits of the window
    const int memory = settings.size ? window_bits(*settings.size, 10, 15) - 7 : 8;
    stream_.zalloc = &allocate;
    stream_.zfree = &release;
    if (deflateInit2(&stream_, settings.level, Z_DEFLATED, MAX_WBITS + gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
    if (padding_.empty()) return;
    header_.os = 255;  // unknown
    header_.comment = reinterpret_cast<Bytef*>(padding_.data());
    deflateSetHeader(&stream_, &header_);
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }

  void encode(std::string_view bytes, Step step, std::string& out) override {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    do {
      const std::string_view part = bytes.substr(0, most);
      bytes.remove_prefix(part.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));  // zlib does not write there
      stream_.avail_in = static_cast<uInt>(part.size());
      const int flush = step == Step::Finish ? Z_FINISH : step == Step::Flush ? Z_SYNC_FLUSH : Z_NO_FLUSH;
      do {
        append_room(out, [&](char* room, std::size_t size) {
          stream_.next_out = reinterpret_cast<Bytef*>(room);
          stream_.avail_out = static_cast<uInt>(std::min(size, most));
          const uInt offered = stream_.avail_out;
          deflate(&stream_, bytes.empty() ? flush : Z_NO_FLUSH);
          return std::size_t{offered - stream_.avail_out};
        });
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
  }

private:
  z_stream stream_{};
  gz_header header_{};
  std::string padding_;
};

class ZstdEncoder final : public Encoder {
public:
  explicit ZstdEncoder(const EncoderSettings& settings) : contexts_(settings.contexts) {
    context_ = contexts_ != nullptr ? contexts_->take() : ZSTD_createCCtx();
    if (context_ == nullptr) throw std::bad_alloc();
    set(ZSTD_c_compressionLevel, settings.level);
    if (settings.size) {
      ZSTD_CCtx_setPledgedSrcSize(context_, *settings.size);
      return;
    }
    set(ZSTD_c_windowLog, stream_window_bits);
    set(ZSTD_c_hashLog, stream_window_bits - 1);
    set(ZSTD_c_chainLog, stream_window_bits - 1);
  }
  ~ZstdEncoder() override {
    if (contexts_ != nullptr) {
      contexts_->give(context_);
    } else {
      ZSTD_freeCCtx(context_);
    }
  }

  void encode(std::string_view bytes, Step step, std::string& out) override {
    const ZSTD_EndDirective end = step == Step::Finish  ? ZSTD_e_end
                                  : step == Step::Flush ? ZSTD_e_flush
                                                        : ZSTD_e_continue;
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      append_room(out, [&](char* room, std::size_t size) {
        ZSTD_outBuffer to = {room, size, 0};
        left = ZSTD_compressStream2(context_, &to, &in, end);
        return to.pos;
      });
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // its only failure with valid parameters
    } while (step == Step::Continue ? in.pos != in.size : left != 0);
  }

private:
  void set(ZSTD_cParameter parameter, int value) { ZSTD_CCtx_setParameter(context_, parameter, value); }

  ZstdContexts* contexts_;
  ZSTD_CCtx* context_ = nullptr;
};

}  // namespace

base::Box<Encoder> make_encoder(ContentCoding coding, const EncoderSettings& settings) {
  switch (coding) {
    case ContentCoding::Brotli: return base::Box<Encoder>(new BrotliEncoder(settings));
    case ContentCoding::Zstd: return base::Box<Encoder>(new ZstdEncoder(settings));
    case ContentCoding::Gzip:
    case ContentCoding::Identity: break;
  }
  return base::Box<Encoder>(new GzipEncoder(settings));
}

}  // namespace tern::web
