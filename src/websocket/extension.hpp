// The negotiation of permessage-deflate (RFC 7692, section 7.1), the only supported extension.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::websocket {

// The negotiated parameters.
struct DeflateParameters {
  bool server_context_takeover = true;  // the server's messages may refer to its earlier ones
  bool client_context_takeover = true;
  int server_window_bits = 15;  // windows of 2^bits bytes
  int client_window_bits = 15;
  bool operator==(const DeflateParameters&) const = default;
};

// The server's preferences.
struct DeflateConfig {
  bool enabled = false;
  bool server_context_takeover = false;
  bool client_context_takeover = false;
  int server_window_bits = 15;  // 9 to 15: zlib supports no smaller windows
  int client_window_bits = 15;  // 9 to 15; 15 if the client's offer does not allow others
};

struct MalformedExtensions {};

// Accepts the first acceptable offer in the values of Sec-WebSocket-Extensions; unset if there is none. Other
// extensions are ignored; malformed values are an error.
std::expected<std::optional<DeflateParameters>, MalformedExtensions> negotiate_deflate(
    const std::vector<std::string_view>& values, const DeflateConfig& config);

// The value of Sec-WebSocket-Extensions in the response.
std::string to_extension(const DeflateParameters& parameters);

}  // namespace tern::websocket
