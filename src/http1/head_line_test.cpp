// The rules below the transcripts, one at a time.
#include "http1/head_line.hpp"

#include "http/authority.hpp"
#include "http1/chunk_line.hpp"
#include "http1/feed.hpp"
#include "http1/masks.hpp"
#include "http1/scan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::http1 {
namespace {

std::vector<Classify> classifiers() {
  std::vector<Classify> all = {&classify_portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) all.push_back(&classify_avx2);
#endif
  return all;
}

TEST(Http1Masks, tell_control_bytes_and_tokens_at_every_place) {
  for (const Classify each : classifiers()) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto c = static_cast<char>(byte);
      for (std::size_t place = 0; place < 2 * mask_width; ++place) {
        std::string text(2 * mask_width, byte % 2 == 0 ? 'a' : '~');
        text[place] = c;
        Masks masks[2];
        each(text.data(), 2, masks);
        const std::uint64_t bit = std::uint64_t{1} << place % mask_width;
        const Masks& here = masks[place / mask_width];
        const Masks& other = masks[1 - place / mask_width];
        const bool control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
        ASSERT_EQ(here.control, control ? bit : 0) << byte << " at " << place;
        ASSERT_EQ(here.not_token, base::is_token_char(c) ? 0 : bit) << byte << " at " << place;
        ASSERT_EQ(other.control | other.not_token, 0U) << byte << " at " << place;
      }
    }
  }
}

TEST(Http1Masks, are_made_as_this_processor_can) {
  EXPECT_EQ(classify, classifiers().back());
}

// Lines of all lengths around those of a block and of a batch of blocks, in one text and from every start position.
TEST(Http1Scan, finds_lines_and_their_tokens_wherever_they_stand) {
  std::string text;
  std::vector<std::string> lines;
  for (std::size_t size = 1; size < 300; size += size < 140 ? 1 : 13) {
    const std::size_t name = size * 7 % 90 % size;
    lines.push_back(std::string(name, 'n') + std::string(size - name, ':'));
    text += lines.back() + "\r\n";
  }
  testing::GuardedText guarded(padding);
  const std::string_view bytes = guarded.copy(text);
  std::size_t start = 0;
  for (std::size_t first = 0; first < lines.size(); ++first) {
    LineScanner scanner(bytes, start, start);
    for (std::size_t line = first; line < lines.size(); ++line) {
      ASSERT_EQ(scanner.next(1000, Fault::FieldsTooLarge), LineScanner::Found::Line);
      ASSERT_EQ(scanner.text(), lines[line]);
      ASSERT_EQ(scanner.token_end(), token_end(lines[line])) << lines[line];
    }
    ASSERT_EQ(scanner.next(1000, Fault::FieldsTooLarge), LineScanner::Found::More);
    start += lines[first].size() + 2;
  }
}

TEST(Http1Scan, goes_on_where_it_stopped) {
  const std::string text = std::string(30, 'n') + ": " + std::string(200, 'v') + "\r\n";
  testing::GuardedText guarded(padding);
  for (std::size_t scanned = 0; scanned < text.size(); ++scanned) {
    LineScanner scanner(guarded.copy(text), 0, scanned == text.size() - 1 ? scanned - 1 : scanned);
    ASSERT_EQ(scanner.next(1000, Fault::FieldsTooLarge), LineScanner::Found::Line) << scanned;
    EXPECT_EQ(scanner.text(), text.substr(0, text.size() - 2));
    EXPECT_EQ(scanner.token_end(), 30U) << scanned;
  }
}

TEST(Http1Authority, addresses) {
  for (const char* good : {"[::]", "[::1]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
                           "[::255.0.10.1]", "[1:2:3:4:5:6:1.2.3.4]", "[aBcD::1]", "[v7.x:y]", "[VF.~]"}) {
    EXPECT_TRUE(http::is_authority(good)) << good;
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
    EXPECT_FALSE(http::is_authority(bad)) << bad;
  }
}

TEST(Http1Authority, ports) {
  EXPECT_TRUE(http::is_authority("a:00080"));
  EXPECT_TRUE(http::is_authority("a:65535"));
  EXPECT_FALSE(http::is_authority("a:65536"));
  EXPECT_FALSE(http::is_authority("a:99999999999999999999"));
  EXPECT_FALSE(http::is_authority("a:-1"));
  EXPECT_TRUE(http::is_authority_with_port("[::1]:1"));
  EXPECT_FALSE(http::is_authority_with_port("[::1]"));
  EXPECT_FALSE(http::is_authority_with_port("a1"));
  EXPECT_FALSE(http::is_authority_with_port("a:"));
  EXPECT_FALSE(http::is_authority_with_port(""));
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
  EXPECT_EQ(parse_field_line("a: b: c", 1, field), Fault::None);
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
