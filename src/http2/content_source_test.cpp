// Content of responses that is read when it is sent.
#include "http2/session.hpp"
#include "http2/session_fixture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>

namespace tern::http2 {
namespace {

// Content of a response, `size` bytes of it; fails behind them.
class CountingSource final : public ContentSource {
public:
  explicit CountingSource(std::size_t size) : size_(size) {}

  bool read(std::span<char> into) override {
    if (all.size() + into.size() > size_) return false;
    for (char& byte : into) {
      byte = static_cast<char>('a' + all.size() % 23);
      all += byte;
    }
    return true;
  }

  std::string all;  // that was read

private:
  const std::size_t size_;
};

TEST(Http2ContentSource, content_may_be_read_when_it_is_sent) {
  SessionFixture fixture(30'000);
  const auto id = fixture.client.request("GET", "/");
  fixture.run();
  FixtureStream& stream = fixture.stream(id);
  CountingSource source(300'000);
  fixture.session.respond(stream, {});
  fixture.session.write(stream, "head ");
  fixture.session.write_from(stream, source, 200'000);
  EXPECT_EQ(stream.unsent(), 200'005U);
  EXPECT_EQ(source.all, "") << "not before it is sent";
  fixture.session.write_from(stream, source, 100'000);
  fixture.session.finish(stream, {});
  fixture.run();
  EXPECT_EQ(source.all.size(), 300'000U);
  EXPECT_TRUE(fixture.client.at(id).content == "head " + source.all);
  EXPECT_TRUE(fixture.client.at(id).ended);
  EXPECT_EQ(stream.unsent(), 0U);
}

TEST(Http2ContentSource, a_source_that_ends_early_resets_its_stream_only) {
  SessionFixture fixture;
  const auto broken = fixture.client.request("GET", "/");
  const auto whole = fixture.client.request("GET", "/");
  fixture.run();
  CountingSource source(10'000);
  fixture.session.respond(fixture.stream(broken), {});
  fixture.session.write_from(fixture.stream(broken), source, 100'000);
  fixture.session.answer(fixture.stream(whole), {}, std::string(50'000, 'x'));
  fixture.run();
  EXPECT_TRUE(fixture.stream(broken).broken());
  EXPECT_EQ(fixture.client.at(broken).error, NGHTTP2_INTERNAL_ERROR);
  EXPECT_EQ(fixture.client.at(broken).content, "");
  EXPECT_EQ(fixture.client.at(whole).content.size(), 50'000U);
  EXPECT_TRUE(fixture.client.at(whole).ended);
}

}  // namespace
}  // namespace tern::http2
