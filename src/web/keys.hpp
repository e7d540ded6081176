// The secrets of a KeyRing, and the tokens that they write and read.
//
// A token is base64url of: format (1 byte), key id (4), expiry in seconds since 1970 or 0 (8, big-endian), nonce if it
// is encrypted (12), text, and the MAC (32) or the tag (16). The MAC covers the purpose with its length, and everything
// before the MAC; the tag covers the same as additional data.
#pragma once

#include "web/gcm_contexts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

class Keys {
public:
  // See KeyRing. Throws SetupError.
  explicit Keys(std::vector<std::string> secrets);

  // `expires` and `now` are seconds since 1970; 0: never.
  std::string sign(std::string_view purpose, std::string_view text, std::int64_t expires) const;
  std::optional<std::string> verify(std::string_view purpose, std::string_view token, std::int64_t now) const;
  std::string encrypt(std::string_view purpose, std::string_view text, std::int64_t expires) const;
  std::optional<std::string> decrypt(std::string_view purpose, std::string_view token, std::int64_t now) const;

private:
  static constexpr std::size_t key_size = GcmContexts::key_size;
  static constexpr std::size_t id_size = 4;

  struct Key {
    std::array<unsigned char, id_size> id;
    std::array<unsigned char, key_size> signing;
    GcmContexts encryption;
  };
  struct Parts;

  const Key* find(std::string_view id) const noexcept;
  std::string header(char format, std::int64_t expires) const;
  std::optional<Parts> split(char format, std::string_view bytes, std::int64_t now) const;

  std::vector<Key> keys_;
};

}  // namespace tern::web
