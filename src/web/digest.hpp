// SHA-256, HMAC-SHA-256 (RFC 2104), hexadecimal text, and comparison in constant time.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tern::web {

// 32 bytes over the concatenation of `parts`. Throws std::runtime_error if OpenSSL fails.
std::string hmac_sha256(std::string_view key, std::initializer_list<std::string_view> parts);

// The same without a key.
std::string sha256(std::initializer_list<std::string_view> parts);

std::string to_hex(std::string_view bytes);

// Takes the same time for all texts of one size.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace tern::web
