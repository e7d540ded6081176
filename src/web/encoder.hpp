// Encoders of the content codings: gzip by zlib (RFC 1952), Brotli (RFC 7932), zstd (RFC 8878).
#pragma once

#include <tern/base/box.hpp>
#include <tern/web/content_coding.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern::web {

// Flush: everything so far can be decoded. Finish: the end of the content.
enum class Step : std::uint8_t { Continue, Flush, Finish };

// One content. Functions throw std::bad_alloc.
class Encoder {
public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  // Appends coded bytes to `out`. After Finish, nothing may follow.
  virtual void encode(std::string_view bytes, Step step, std::string& out) = 0;
};

class ZstdContexts;

struct EncoderSettings {
  int level = 0;
  // Of the content. Unset for streams, which use smaller windows, because many may be open at once.
  std::optional<std::size_t> size = {};
  // Bytes without meaning in front of the content: the comment of gzip's header, or a metadata block of Brotli. Zstd
  // has nothing of the kind that all clients accept.
  std::size_t padding = 0;
  // Reused, for encoders of a whole content; they must outlive the encoder. Null: none.
  ZstdContexts* contexts = nullptr;
};

inline constexpr int stream_window_bits = 16;  // of Brotli and zstd

// The bits of the smallest window that holds `size` bytes.
inline int window_bits(std::size_t size, int least, int most) {
  return std::clamp(static_cast<int>(std::bit_width(size)), least, most);
}

// `coding` is not Identity.
base::Box<Encoder> make_encoder(ContentCoding coding, const EncoderSettings& settings);

}  // namespace tern::web
