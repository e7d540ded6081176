// The negotiation of permessage-deflate (RFC 7692, section 7.1), the one extension there is here.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::websocket {

// What both sides have agreed upon.
struct DeflateTerms {
  bool server_takeover = true;  // our messages may refer to our earlier ones
  bool client_takeover = true;
  int server_bits = 15;  // windows of 2^bits bytes
  int client_bits = 15;
  bool operator==(const DeflateTerms&) const = default;
};

// What this side asks for.
struct DeflateWishes {
  bool enabled = false;
  bool server_takeover = false;
  bool client_takeover = false;
  int server_bits = 15;  // 9 to 15: zlib makes no smaller windows
  int client_bits = 15;  // 9 to 15; a client that does not let itself be told keeps 15
};

struct MalformedExtensions {};

// The first offer in the values of Sec-WebSocket-Extensions that can be taken; nothing when there is none. Extensions
// other than permessage-deflate are passed over, values against the grammar are an error.
std::expected<std::optional<DeflateTerms>, MalformedExtensions> choose_deflate(
    const std::vector<std::string_view>& values, const DeflateWishes& wishes);

// What the 101 answers to it.
std::string to_extension(const DeflateTerms& terms);

}  // namespace tern::websocket
