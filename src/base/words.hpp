// Checks of texts by eight bytes at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tern::base {

inline constexpr std::uint64_t low_bits = 0x0101'0101'0101'0101;
inline constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;

// Not 0 if a byte of the word is below `limit`, which is at most 128; only the high bits count.
constexpr std::uint64_t below(std::uint64_t word, std::uint64_t limit) noexcept {
  return (word - low_bits * limit) & ~word & high_bits;
}
// Not 0 if a byte of the word is `byte`.
constexpr std::uint64_t equal_to(std::uint64_t word, std::uint64_t byte) noexcept {
  return below(word ^ (low_bits * byte), 1);
}

// Whether test(word) is not 0 for a word of the text. Words overlap; a text of less than eight bytes is filled with
// "a".
template <class F>
bool any_word(std::string_view text, F test) noexcept {
  const auto word_at = [](const char* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  };
  if (text.size() < sizeof(std::uint64_t)) {
    char filled[] = "aaaaaaaa";
    if (!text.empty()) std::memcpy(filled, text.data(), text.size());
    return test(word_at(filled)) != 0;
  }
  const char* const last = text.data() + text.size() - sizeof(std::uint64_t);
  std::uint64_t found = test(word_at(last));
  for (const char* at = text.data(); at < last; at += sizeof(std::uint64_t)) found |= test(word_at(at));
  return found != 0;
}

}  // namespace tern::base
