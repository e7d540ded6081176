// The encoding of a publication on a Redis channel:
//
//   envelope = version(1 byte: 1) kind(1 byte: 0 text, 1 binary) sender(16 bytes) topic-length(4 bytes, big-endian)
//              topic content
//
// The sender is random for each start of a server, so that a server recognises its own publications.
#pragma once

#include <tern/http/bus.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tern::redis {

using Sender = std::array<char, 16>;

Sender random_sender();
// In hexadecimal digits.
std::string to_hex(const Sender& sender);

std::string encode_envelope(const Sender& sender, const Publication& publication);

struct Envelope {
  std::string_view sender;
  Publication publication;
};

// Views of `bytes`; unset if they are not an envelope.
std::optional<Envelope> decode_envelope(std::string_view bytes) noexcept;

}  // namespace tern::redis
