// The rules below the transcripts, one by one.
#include "http1/head_line.hpp"

#include "http1/authority.hpp"
#include "http1/chunk_line.hpp"
#include "http1/feed.hpp"
#include "http1/scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::http1 {
namespace {

TEST(Http1Scan, finds_the_first_control_byte_at_every_place_and_reads_nothing_behind_the_end) {
  testing::GuardedText guarded;
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string_view clean = guarded.copy(std::string(size, '\xff'));
    EXPECT_EQ(find_control(clean.data(), clean.data() + size), clean.data() + size);
    for (std::size_t place = 0; place < size; ++place) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(byte);
        const std::string_view view = guarded.copy(text);
        const bool control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
        const auto found = static_cast<std::size_t>(find_control(view.data(), view.data() + size) - view.data());
        ASSERT_EQ(found, control ? place : size) << "byte " << byte << " at " << place << " of " << size;
      }
    }
  }
}

TEST(Http1Scan, finds_a_control_byte_behind_any_other_byte) {
  for (unsigned first = 0; first < 256; ++first) {
    const char byte = static_cast<char>(first);
    const std::string text = std::string("abc") + byte + byte + "d\re\n23456";
    const std::size_t expected = is_control(byte) ? 3 : 6;
    EXPECT_EQ(find_control(text.data(), text.data() + text.size()) - text.data(), expected) << first;
  }
}

TEST(Http1Authority, addresses) {
  for (const char* good : {"[::]", "[::1]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
                           "[::255.0.10.1]", "[1:2:3:4:5:6:1.2.3.4]", "[aBcD::1]", "[v7.x:y]", "[VF.~]"}) {
    EXPECT_TRUE(is_authority(good)) << good;
  }
  for (const char* bad : {"",
                          "[]",
                          "[:]",
                          "[1]",
                          "[:::]",
                          "[1:::2]",
                          "[1::2::3]",
                          "[1:2:3:4:5:6:7:8:9]",
                          "[1:2:3:4:5:6:7:8::]",
                          "[1:2:3:4:5:6:7]",
                          "[12345::]",
                          "[g::]",
                          "[::1.2.3]",
                          "[::1.2.3.4.5]",
                          "[::256.1.1.1]",
                          "[::01.1.1.1]",
                          "[1.2.3.4::]",
                          "[1:2:3:4:5:6:7:1.2.3.4]",
                          "[::1",
                          "::1",
                          "[::1]]",
                          "[::1%25eth0]",
                          "[v.x]",
                          "[v1.]",
                          "[v1]",
                          "[vg.x]",
                          "a]",
                          "[fe80::1:]",
                          "[:1::2]"}) {
    EXPECT_FALSE(is_authority(bad)) << bad;
  }
}

TEST(Http1Authority, ports) {
  EXPECT_TRUE(is_authority("a:00080"));
  EXPECT_TRUE(is_authority("a:65535"));
  EXPECT_FALSE(is_authority("a:65536"));
  EXPECT_FALSE(is_authority("a:99999999999999999999"));
  EXPECT_FALSE(is_authority("a:-1"));
  EXPECT_TRUE(is_authority_with_port("[::1]:1"));
  EXPECT_FALSE(is_authority_with_port("[::1]"));
  EXPECT_FALSE(is_authority_with_port("a1"));
  EXPECT_FALSE(is_authority_with_port("a:"));
  EXPECT_FALSE(is_authority_with_port(""));
}

TEST(Http1ChunkLine, sizes) {
  ChunkLine chunk;
  EXPECT_EQ(parse_chunk_line("aBcDeF0123456789", chunk), Fault::None);
  EXPECT_EQ(chunk.size, 0xabcdef0123456789U);
  EXPECT_EQ(parse_chunk_line("1a;b", chunk), Fault::None);
  EXPECT_EQ(chunk.size, 26U);
  EXPECT_EQ(chunk.extension, 2U);
  EXPECT_EQ(parse_chunk_line("1a;b;c=\"\\\"\";d", chunk), Fault::None);
  EXPECT_EQ(parse_chunk_line("1a;b;c=\"\\\"", chunk), Fault::ChunkExtension);
  EXPECT_EQ(parse_chunk_line("1a;b=c=d", chunk), Fault::ChunkExtension);
  EXPECT_EQ(parse_chunk_line("1a;b=\"c\"d", chunk), Fault::ChunkExtension);
}

TEST(Http1HeadLine, a_field_line_is_cut_at_its_first_colon) {
  Field field;
  EXPECT_EQ(parse_field_line("a: b: c", field), Fault::None);
  EXPECT_EQ(field.name, "a");
  EXPECT_EQ(field.value, "b: c");
}

TEST(Http1Fault, every_fault_has_words_and_an_error_status) {
  for (auto value = static_cast<unsigned>(Fault::ControlByte); value <= static_cast<unsigned>(Fault::TooManyTrailers);
       ++value) {
    const Reject reject = describe(static_cast<Fault>(value));
    EXPECT_GE(code(reject.status), 400);
    EXPECT_FALSE(reject.detail.empty()) << value;
  }
}

}  // namespace
}  // namespace tern::http1
