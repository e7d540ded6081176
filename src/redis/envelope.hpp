// How a publication travels through Redis:
//
//   envelope = version(1 byte: 1) kind(1 byte: 0 text, 1 binary) sender(16 bytes) topic-length(4 bytes, big-endian)
//              topic content
//
// The sender is drawn anew for each start of a server, so that it knows its own publications when they come back.
#pragma once

#include <tern/http/bus.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tern::redis {

using Sender = std::array<char, 16>;

Sender draw_sender();
// In hexadecimal digits.
std::string name_of(const Sender& sender);

std::string seal(const Sender& sender, const Publication& publication);

struct Envelope {
  std::string_view sender;
  Publication publication;
};

// Views of `bytes`; nothing when they are no envelope.
std::optional<Envelope> open_envelope(std::string_view bytes) noexcept;

}  // namespace tern::redis
