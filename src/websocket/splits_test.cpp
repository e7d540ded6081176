// Generated frames, the same in each run: no read is out of bounds, the result does not depend on the splits, and every
// end has a code.
#include "websocket/feed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace tern::websocket {
namespace {

using testing::feed;
using testing::FeedOptions;
using testing::frame;

class Generator {
public:
  explicit Generator(unsigned seed) : random_(seed) {}

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  std::string payload() {
    static constexpr std::string_view pieces[] = {"hello", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "", "\xE2", "\x80"};
    std::string out;
    const unsigned count = below(4);
    for (unsigned i = 0; i < count; ++i) out += pieces[below(below(8) == 0 ? 6 : 4)];
    if (below(12) == 0) out.append(below(400), 'x');
    return out;
  }

  // Mostly valid frames in a mostly valid order.
  std::string frames() {
    std::string out;
    const unsigned count = 1 + below(8);
    bool open = false;
    for (unsigned i = 0; i < count; ++i) {
      testing::FrameOptions options;
      for (char& c : options.key) c = static_cast<char>(below(256));
      options.fin = below(3) != 0;
      unsigned opcode = open ? 0 : 1 + below(2);
      if (below(5) == 0) opcode = 9 + below(2), options.fin = true;
      if (below(25) == 0) opcode = below(16);
      if (below(40) == 0) options.rsv = below(8) << 4U;
      if (below(40) == 0) options.masked = false;
      if (below(40) == 0) options.length_form = 126;
      if (opcode < 8) open = !options.fin;
      const std::string bytes = payload();
      out += opcode == 8 ? testing::close(990 + below(40), bytes.substr(0, 100)) : frame(opcode, bytes, options);
    }
    if (below(6) == 0) out.resize(below(static_cast<unsigned>(out.size()) + 1));
    for (unsigned flips = below(10) == 0 ? 1 + below(3) : 0; flips != 0 && !out.empty(); --flips) {
      out[below(static_cast<unsigned>(out.size()))] ^= static_cast<char>(1U << below(8));
    }
    return out;
  }

  std::vector<std::size_t> cuts(std::size_t size) {
    std::vector<std::size_t> out;
    for (unsigned i = below(6); i != 0; --i) out.push_back(below(static_cast<unsigned>(size) + 1));
    std::ranges::sort(out);
    return out;
  }

private:
  std::mt19937 random_;
};

TEST(WebSocketSplits, generated_frames_come_to_the_same_however_they_are_split) {
  unsigned closed = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Generator generator(seed);
    const std::string bytes = generator.frames();
    const FeedOptions options{.limits = {.message = 300}};
    const auto whole = feed(bytes, {}, options);
    for (int round = 0; round < 4; ++round) {
      const auto cuts = generator.cuts(bytes.size());
      ASSERT_EQ(feed(bytes, cuts, {.limits = options.limits, .direct_receive = round % 2 != 0}), whole)
          << "seed " << seed;
    }
    if (whole.transcript.find("closed") == std::string::npos) continue;
    ++closed;
    ASSERT_NE(whole.sent.find("close"), std::string::npos) << "seed " << seed;
  }
  EXPECT_GT(closed, 500U);
  EXPECT_LT(closed, 3500U);
}

TEST(WebSocketSplits, generated_compressed_frames_too) {
  if (!deflate_available()) GTEST_SKIP() << "built without zlib";
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Generator generator(seed + 100'000);
    std::string compressed;
    Deflater deflater(15);
    const std::string payload = generator.payload() + 'x';
    deflater.deflate(payload, compressed);
    if (generator.below(3) == 0) compressed[generator.below(static_cast<unsigned>(compressed.size()))] ^= '\x10';
    const std::string bytes = frame(1, compressed, {.rsv = 0x40}) + generator.frames();
    FeedOptions options{.limits = {.message = 300}, .deflate = DeflateParameters{}};
    options.deflate->client_context_takeover = generator.below(2) == 0;
    const auto whole = feed(bytes, {}, options);
    for (int round = 0; round < 4; ++round) {
      options.direct_receive = round % 2 != 0;
      ASSERT_EQ(feed(bytes, generator.cuts(bytes.size()), options), whole) << seed;
    }
  }
}

}  // namespace
}  // namespace tern::websocket
