#include "base/words.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::base {
namespace {

TEST(Words, every_byte_at_every_place_is_tested) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string plain(size, 'x');
    EXPECT_FALSE(any_word(plain, [](std::uint64_t word) { return below(word, 0x20) | equal_to(word, 0x7F); }));
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = plain;
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(any_word(text, [](std::uint64_t word) { return below(word, 0x20); }), byte < 0x20) << size << at;
        EXPECT_EQ(any_word(text, [](std::uint64_t word) { return equal_to(word, 0x7F); }), byte == 0x7F) << size << at;
        EXPECT_EQ(any_word(text, [](std::uint64_t word) { return word & high_bits; }), byte >= 0x80) << size << at;
      }
    }
  }
}

// A borrow of one byte must not reach another.
TEST(Words, neighbours_do_not_disturb_each_other) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string text = "xxxxxxxx";
      text[3] = static_cast<char>(first);
      text[4] = static_cast<char>(second);
      const bool low = any_word(text, [](std::uint64_t word) { return below(word, 0x21); });
      EXPECT_EQ(low, first < 0x21 || second < 0x21);
      const bool deleted = any_word(text, [](std::uint64_t word) { return equal_to(word, 0x7F); });
      EXPECT_EQ(deleted, first == 0x7F || second == 0x7F);
    }
  }
}

}  // namespace
}  // namespace tern::base
