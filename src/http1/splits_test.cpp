// The result does not depend on how the bytes are split. Inputs are well-formed ones with some bytes changed; the seed
// is fixed, and a failure prints the input.
#include "http1/feed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::http1 {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t bound) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

std::string pipeline(Random& random) {
  static constexpr std::array<std::string_view, 7> requests = {
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "\r\nHEAD /a%20b?c HTTP/1.1\r\nHost: [::1]:80\r\nAccept: */*\r\nConnection: keep-alive, x\r\n\r\n",
      "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
      "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;a=\"b\"\r\nabc\r\n0\r\n\r\n",
      "PUT /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
      "GET http://b/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"};
  std::string text;
  for (std::size_t i = 1 + below(random, 3); i > 0; --i) text += requests[below(random, requests.size())];
  return text;
}

void damage(std::string& text, Random& random) {
  static constexpr std::string_view telling("\r\n\t\0 :;,=\"\\%#?/[]0129afgx\x7f\x80", 28);
  for (std::size_t i = below(random, 4); i > 0; --i) {
    const std::size_t at = below(random, text.size());
    const char byte = telling[below(random, telling.size())];
    switch (below(random, 3)) {
      case 0: text[at] = byte; break;
      case 1: text.insert(at, 1, byte); break;
      default: text.erase(at, 1); break;
    }
  }
}

TEST(Http1Splits, any_split_of_damaged_pipelines_gives_the_same_transcript) {
  Random random(20240607);
  testing::FeedOptions options;
  options.limits.request_line = 60;
  options.limits.fields = 90;
  options.limits.chunk_extensions = 12;
  for (int round = 0; round < 4000; ++round) {
    std::string input = pipeline(random);
    damage(input, random);
    const std::string whole = testing::feed_whole(input, options);
    ASSERT_EQ(testing::feed_byte_by_byte(input, options), whole) << input;
    std::vector<std::size_t> cuts(1 + below(random, 6));
    for (std::size_t& cut : cuts) cut = below(random, input.size() + 1);
    std::ranges::sort(cuts);
    ASSERT_EQ(testing::feed(input, cuts, options), whole) << input;
  }
}

// Byte by byte, no head is compared with the one before.
TEST(Http1Splits, repeated_heads_change_no_transcript) {
  Random random(20261122);
  testing::FeedOptions options;
  options.limits.request_line = 60;
  options.limits.fields = 90;
  for (int round = 0; round < 4000; ++round) {
    const std::string once = pipeline(random);
    std::string input = once + once + once;
    damage(input, random);
    const std::string parsed = testing::feed_byte_by_byte(input, options);
    ASSERT_EQ(testing::feed_whole(input, options), parsed) << input;
    const std::size_t cut = below(random, input.size() + 1);
    ASSERT_EQ(testing::feed(input, std::span(&cut, 1), options), parsed) << input;
  }
}

}  // namespace
}  // namespace tern::http1
