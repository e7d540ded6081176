#include "http/multipart_feed.hpp"

#include "base/guarded_text.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tern::multipart::testing {
namespace {

using tern::testing::GuardedText;

class Feeder {
public:
  explicit Feeder(const FeedOptions& options) : parser_(options.boundary, options.limits) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, GuardedText::room);
      bytes.remove_prefix(piece.size());
      parser_.receive(guarded_.copy(piece));
      if (read()) {
        EXPECT_EQ(parser_.consumed(), piece.size());
      }
    }
  }

  std::string finish() {
    parser_.finish();
    EXPECT_FALSE(read());
    return text_;
  }

private:
  // Whether more is needed.
  bool read() {
    for (;;) {
      const MultipartEvent event = parser_.next();
      if (event == MultipartEvent::NeedMore) return true;
      const bool last = event == MultipartEvent::End || event == MultipartEvent::Reject;
      if (!over_) write(event);
      over_ = last;
      if (last) {
        EXPECT_EQ(parser_.next(), event) << "the last event stays";
        return false;
      }
    }
  }

  void write(MultipartEvent event) {
    switch (event) {
      case MultipartEvent::NeedMore: break;
      case MultipartEvent::Part: return write_part();
      case MultipartEvent::Data:
        EXPECT_FALSE(parser_.data().empty());
        text_ += parser_.data();
        break;
      case MultipartEvent::PartEnd: text_ += "\nend of " + parser_.part().name + '\n'; break;
      case MultipartEvent::End: text_ += "form"; break;
      case MultipartEvent::Reject:
        text_ += "reject " + std::to_string(code(parser_.rejected().status)) + ": ";
        text_ += parser_.rejected().detail;
        break;
    }
  }

  void write_part() {
    const MultipartPart& part = parser_.part();
    text_ += "part \"" + part.name + '"';
    if (part.is_file)
      text_ += " file " + (part.file_name ? '"' + *part.file_name + '"' : std::string("without a name"));
    if (!part.content_type.empty()) text_ += " type " + part.content_type;
    if (!part.charset.empty()) text_ += " charset " + part.charset;
    text_ += '\n';
  }

  MultipartParser parser_;
  GuardedText guarded_;
  std::string text_;
  bool over_ = false;
};

}  // namespace

std::string feed(std::string_view input, std::span<const std::size_t> cuts, const FeedOptions& options) {
  Feeder feeder(options);
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    feeder.feed(input.substr(begin, cut - begin));
    begin = cut;
  }
  feeder.feed(input.substr(begin));
  return feeder.finish();
}

std::string feed_whole(std::string_view input, const FeedOptions& options) {
  return feed(input, {}, options);
}

std::string feed_byte_by_byte(std::string_view input, const FeedOptions& options) {
  std::vector<std::size_t> cuts(input.size());
  std::iota(cuts.begin(), cuts.end(), 1U);
  return feed(input, cuts, options);
}

std::string feed_every_way(std::string_view input, const FeedOptions& options) {
  std::string whole = feed_whole(input, options);
  for (std::size_t cut = 1; cut < input.size(); ++cut) {
    const std::string split = feed(input, {&cut, 1}, options);
    EXPECT_EQ(split, whole) << "split at byte " << cut << " of:\n" << input;
    if (split != whole) break;
  }
  EXPECT_EQ(feed_byte_by_byte(input, options), whole) << "byte by byte:\n" << input;
  return whole;
}

}  // namespace tern::multipart::testing
