// Password hashes of other programs, by the libcrypt of the system (crypt(5)).
#pragma once

#include <string_view>

namespace tern::web {

// Whether it is one of bcrypt ($2a$, $2b$, $2y$), SHA-256 ($5$), SHA-512 ($6$), scrypt ($7$) or yescrypt ($y$). Not
// DES, MD5 and others, which are broken.
bool is_crypt_hash(std::string_view stored) noexcept;

// Compares in constant time. False also for a malformed hash, and for a password with a NUL byte or of more than 511
// bytes, which these functions do not take. bcrypt sees only the first 72 bytes. Throws std::bad_alloc.
bool verify_crypt_hash(std::string_view password, std::string_view stored);

}  // namespace tern::web
