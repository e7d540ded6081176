#include <tern/base/utf8.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace tern::base {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

// The reverse definition: text is UTF-8 if it is the encoding of code points.
bool is_encoding_of_one_code_point(std::string_view text) {
  const auto at = [&text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  std::uint32_t code = 0;
  switch (text.size()) {
    case 2: code = (at(0) & 0x1FU) << 6U | (at(1) & 0x3FU); break;
    case 3: code = (at(0) & 0x0FU) << 12U | (at(1) & 0x3FU) << 6U | (at(2) & 0x3FU); break;
    case 4: code = (at(0) & 0x07U) << 18U | (at(1) & 0x3FU) << 12U | (at(2) & 0x3FU) << 6U | (at(3) & 0x3FU); break;
    default: return false;
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  std::string out;
  append_utf8(out, code);
  return out == text;
}

TEST(Utf8, takes_the_form_of_every_code_point) {
  std::string out;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    out.clear();
    append_utf8(out, code);
    ASSERT_TRUE(is_utf8(out)) << std::hex << static_cast<std::uint32_t>(code);
    ASSERT_EQ(out.size(), code < 0x80 ? 1U : code < 0x800 ? 2U : code < 0x10000 ? 3U : 4U);
  }
}

TEST(Utf8, writes_the_examples_of_rfc_3629) {
  std::string out = "=";
  for (const char32_t code : {U'A', U'\u2262', U'\u0391', U'\uFEFF', U'\U000233B4'}) append_utf8(out, code);
  EXPECT_EQ(out, "=A\xE2\x89\xA2\xCE\x91\xEF\xBB\xBF\xF0\xA3\x8E\xB4");
}

TEST(Utf8, agrees_with_the_encoder_on_every_pair_of_bytes_that_is_not_ascii) {
  for (int a = 0x80; a < 0x100; ++a) {
    for (int b = 0; b < 0x100; ++b) {
      const std::string text = bytes({a, b});
      ASSERT_EQ(is_utf8(text), is_encoding_of_one_code_point(text)) << std::hex << a << ' ' << b;
    }
  }
}

TEST(Utf8, agrees_with_the_encoder_on_every_longer_sequence_at_its_edges) {
  const std::initializer_list<int> edges = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
  for (int a = 0xE0; a < 0x100; ++a) {
    for (int b = 0; b < 0x100; ++b) {
      for (const int c : edges) {
        if (a < 0xF0) {
          const std::string three = bytes({a, b, c});
          ASSERT_EQ(is_utf8(three), is_encoding_of_one_code_point(three)) << std::hex << a << ' ' << b << ' ' << c;
        }
        for (const int d : edges) {
          if (a < 0xF0) continue;
          const std::string four = bytes({a, b, c, d});
          ASSERT_EQ(is_utf8(four), is_encoding_of_one_code_point(four))
              << std::hex << a << ' ' << b << ' ' << c << ' ' << d;
        }
      }
    }
  }
}

TEST(Utf8, refuses_a_lone_byte_above_ascii) {
  for (int byte = 0x80; byte < 0x100; ++byte) EXPECT_FALSE(is_utf8(bytes({byte}))) << byte;
}

TEST(Utf8, refuses_a_sequence_cut_short_and_reads_no_further) {
  for (const std::string_view whole : {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const auto exact = std::make_unique<char[]>(size);  // the sanitizer detects reads beyond the end
      std::copy_n(whole.data(), size, exact.get());
      EXPECT_FALSE(is_utf8({exact.get(), size}));
      EXPECT_FALSE(is_utf8(std::string(whole.substr(0, size)) + "a"));
    }
  }
}

TEST(Utf8, finds_one_bad_byte_at_every_place_of_a_long_text) {
  for (std::size_t size = 1; size < 40; ++size) {
    const std::string good(size, 'a');
    EXPECT_TRUE(is_utf8(good));
    for (std::size_t at = 0; at < size; ++at) {
      std::string bad = good;
      bad[at] = '\xFF';
      EXPECT_FALSE(is_utf8(bad)) << size << ' ' << at;
    }
  }
}

TEST(Utf8, takes_a_sequence_across_every_boundary_of_eight_bytes) {
  for (std::size_t before = 0; before < 20; ++before) {
    EXPECT_TRUE(is_utf8(std::string(before, 'a') + "\xF0\x9F\x98\x80" + "12345678\xC3\xA4"));
    EXPECT_FALSE(is_utf8(std::string(before, 'a') + "\xED\xA0\x80" + "12345678"));
  }
}

TEST(Utf8, takes_nothing_and_nul) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8(std::string_view()));
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  EXPECT_FALSE(is_utf8("\xC0\x80"));  // "modified" UTF-8
}

}  // namespace
}  // namespace tern::base
