// For tests: the content codings by the plain functions of their libraries.
#pragma once

#include <tern/web/content_coding.hpp>

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <random>
#include <string>
#include <string_view>

namespace tern::web {

inline std::string gunzipped(std::string_view coded) {
  z_stream stream{};
  inflateInit2(&stream, MAX_WBITS + 16);
  std::string out(8 * 1024 * 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

inline std::string decoded(std::string_view coding, std::string_view coded) {
  if (coding.empty()) return std::string(coded);
  if (coding == "gzip") return gunzipped(coded);
  std::string out(8 * 1024 * 1024, '\0');
  std::size_t size = out.size();
  if (coding == "br") {
    EXPECT_EQ(BrotliDecoderDecompress(coded.size(), reinterpret_cast<const std::uint8_t*>(coded.data()), &size,
                                      reinterpret_cast<std::uint8_t*>(out.data())),
              BROTLI_DECODER_RESULT_SUCCESS);
  } else {
    EXPECT_EQ(coding, "zstd");
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {coded.data(), coded.size(), 0};
    ZSTD_outBuffer to = {out.data(), out.size(), 0};
    EXPECT_EQ(ZSTD_decompressStream(context, &to, &in), 0U);
    EXPECT_EQ(in.pos, in.size);
    size = to.pos;
    ZSTD_freeDCtx(context);
  }
  out.resize(size);
  return out;
}

// Text that a compressor makes about a tenth of.
inline std::string compressible_text(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += "{\"id\": " + std::to_string(i) + ", \"name\": \"a book\"},\n";
  text.resize(size);
  return text;
}

inline std::string random_letters(std::size_t size) {
  std::mt19937 random(7);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random() % 256);
  return text;
}

}  // namespace tern::web
