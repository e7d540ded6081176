// Time-based one-time passwords (RFC 6238), the six digits of authenticator apps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// A new secret of 160 bits as base32, which is stored (encrypted, by KeyRing) and shown to the user once.
std::string generate_totp_secret();

// "otpauth://totp/Shop:anna?secret=…&issuer=Shop", for a QR code that authenticator apps read.
std::string totp_uri(std::string_view secret, std::string_view issuer, std::string_view account);

// Verifies a code of six digits (HMAC-SHA-1, steps of 30 seconds), also that of the step before and after. Returns the
// step of the code, which is to be stored: pass it as `last_step`, so that a code is accepted once (RFC 6238, section
// 5.2). Unset for a wrong code, and for a secret that is no base32. Compares in constant time. `now` is in seconds
// since 1970; unset: the time of the system. Six digits can be guessed: limit the attempts, see RateLimit.
std::optional<std::int64_t> verify_totp(std::string_view secret, std::string_view code, std::int64_t last_step = -1,
                                        std::optional<std::int64_t> now = {});

}  // namespace tern
