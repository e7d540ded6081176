#include <tern/base/sha1.hpp>

#include <bit>
#include <cstddef>
#include <cstring>

namespace tern::base {
namespace {

constexpr std::size_t block_size = 64;
using State = std::array<std::uint32_t, 5>;

void add_block(State& state, const char* block) noexcept {
  std::array<std::uint32_t, 80> words;
  for (std::size_t i = 0; i < 16; ++i) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4; ++j) word = word << 8U | static_cast<unsigned char>(block[4 * i + j]);
    words[i] = word;
  }
  for (std::size_t i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = 0;
    if (i < 20) {
      mixed = ((b & c) | (~b & d)) + 0x5A827999U;
    } else if (i < 40) {
      mixed = (b ^ c ^ d) + 0x6ED9EBA1U;
    } else if (i < 60) {
      mixed = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
    } else {
      mixed = (b ^ c ^ d) + 0xCA62C1D6U;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view text) noexcept {
  State state = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  while (text.size() >= block_size) {
    add_block(state, text.data());
    text.remove_prefix(block_size);
  }
  std::array<char, 2 * block_size> last{};
  if (!text.empty()) std::memcpy(last.data(), text.data(), text.size());
  last[text.size()] = static_cast<char>(0x80);
  const std::size_t end = text.size() + 1 + 8 <= block_size ? block_size : 2 * block_size;
  for (std::size_t i = 0; i < 8; ++i) last[end - 1 - i] = static_cast<char>(bits >> (8 * i) & 0xFFU);
  add_block(state, last.data());
  if (end == 2 * block_size) add_block(state, last.data() + block_size);
  std::array<std::uint8_t, 20> digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

}  // namespace tern::base
