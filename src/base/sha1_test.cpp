#include <tern/base/sha1.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::base {
namespace {

std::string hex(std::string_view text) {
  std::string out;
  for (const auto byte : sha1(text)) {
    out.push_back("0123456789abcdef"[byte >> 4U]);
    out.push_back("0123456789abcdef"[byte & 15U]);
  }
  return out;
}

TEST(Sha1, agrees_with_the_examples_of_rfc_3174) {
  EXPECT_EQ(hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha1, pads_texts_of_every_length_around_a_block) {
  EXPECT_EQ(hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex(std::string(55, 'a')), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  EXPECT_EQ(hex(std::string(56, 'a')), "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  EXPECT_EQ(hex(std::string(63, 'a')), "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
  EXPECT_EQ(hex(std::string(64, 'a')), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
}

}  // namespace
}  // namespace tern::base
