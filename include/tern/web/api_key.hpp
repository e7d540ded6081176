// Keys of programs that call an API.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// A new key: "shop_3kTf9a0Q_" and 43 characters of a secret with 256 bits. `key` is shown to its owner once; `prefix`
// is an id to look it up and to show in lists, and `hash` is stored beside it.
struct ApiKey {
  std::string key;
  std::string prefix;  // "shop_3kTf9a0Q"
  std::string hash;    // SHA-256 as hexadecimal digits: the key is too random to be guessed

  // `name` has up to 32 letters and digits; throws std::invalid_argument otherwise.
  static ApiKey generate(std::string_view name);
  // The part of a key in front of its secret; empty for text that is no key.
  static std::string_view prefix_of(std::string_view key) noexcept;
  // Whether the key has that hash; compares in constant time.
  static bool verify(std::string_view key, std::string_view hash);
};

}  // namespace tern
