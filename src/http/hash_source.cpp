#include "http/hash_source.hpp"

#include "base/base64.hpp"

#include <cstddef>

namespace tern::http {

std::string hash_source(std::string_view sha256) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 0; at + 1 < sha256.size(); at += 2) {
    bytes += static_cast<char>(digit(sha256[at]) * 16 + digit(sha256[at + 1]));
  }
  return "'sha256-" + base::to_base64(bytes) + "'";
}

}  // namespace tern::http
