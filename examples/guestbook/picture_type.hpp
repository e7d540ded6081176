// The media type of a picture by its first bytes: what a client says of it is not to be trusted.
#pragma once

#include <optional>
#include <string_view>

namespace guestbook {

// Unset if it is none of those that all browsers show.
inline std::optional<std::string_view> picture_type(std::string_view content) {
  if (content.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (content.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (content.starts_with("GIF87a") || content.starts_with("GIF89a")) return "image/gif";
  if (content.starts_with("RIFF") && content.substr(8).starts_with("WEBP")) return "image/webp";
  return std::nullopt;
}

}  // namespace guestbook
