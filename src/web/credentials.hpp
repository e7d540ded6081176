// Credentials in the field Authorization (RFC 9110, section 11.4).
#pragma once

#include <tern/http/request.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern::web {

// What follows the name of a scheme, which is compared without case, and blanks. Unset if the request has no
// credentials of the scheme; empty if they are empty, or if there are several Authorization fields.
std::optional<std::string_view> credentials_of(const Request& request, std::string_view scheme) noexcept;

// b64token of RFC 6750, section 2.1.
bool is_bearer_token(std::string_view text) noexcept;

// Name and password (RFC 7617, section 2): base64 with padding of UTF-8 without control characters; the name ends at
// the first colon. Unset for anything else, and above 8 KiB.
std::optional<std::pair<std::string, std::string>> decode_basic(std::string_view credentials);

}  // namespace tern::web
