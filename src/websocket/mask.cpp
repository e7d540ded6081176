#include "websocket/mask.hpp"

#include <cstdint>
#include <cstring>

namespace tern::websocket {

void apply_mask(char* bytes, std::size_t size, MaskKey key, std::size_t offset) noexcept {
  std::array<char, 8> turned;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = key[(offset + i) & 3U];
  std::uint64_t mask = 0;
  std::memcpy(&mask, turned.data(), sizeof mask);
  // Four words in a row, which compilers make vectors of.
  while (size >= 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes, sizeof words);
    for (std::uint64_t& word : words) word ^= mask;
    std::memcpy(bytes, words, sizeof words);
    bytes += 32;
    size -= 32;
  }
  while (size >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    word ^= mask;
    std::memcpy(bytes, &word, sizeof word);
    bytes += 8;
    size -= 8;
  }
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(bytes[i] ^ turned[i]);
}

}  // namespace tern::websocket
