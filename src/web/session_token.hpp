// Random ids of sessions, and what is derived from them.
#pragma once

#include <string>
#include <string_view>

namespace tern::web {

// 256 random bits in base64url.
std::string make_session_id();
bool is_session_id(std::string_view text) noexcept;

// SHA-256 in base64url.
std::string hash_for_store(std::string_view text);

// See Session::csrf_token(): an HMAC under the id, which only the browser and the server know. Each token is masked by
// other random bits, so that compressed pages do not reveal it (BREACH).
std::string make_csrf_token(std::string_view id);
bool is_csrf_token(std::string_view token, std::string_view id);

}  // namespace tern::web
