#include "http1/feed.hpp"

#include <tern/http/method.hpp>
#include <tern/http/uri.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tern::http1::testing {
namespace {

std::string_view name(Waiting waiting) {
  switch (waiting) {
    case Waiting::Idle: return "idle";
    case Waiting::Head: return "head";
    case Waiting::Body: return "body";
    case Waiting::Nothing: break;
  }
  return "nothing";
}

class Feeder {
public:
  explicit Feeder(const FeedOptions& options) : options_(options), connection_(options.limits) {}

  void feed(std::string_view piece) {
    pending_ += piece;
    connection_.receive(guarded_.copy(pending_));
    while (step()) {
    }
    pending_.erase(0, connection_.consumed());
  }

  std::string transcript() {
    if (!closed_) text_ += "waiting for " + std::string(name(connection_.waiting_for())) + '\n';
    return text_;
  }

private:
  bool step() {
    switch (connection_.next(head_)) {
      case Event::NeedMore: return false;
      case Event::Request: request(); return true;
      case Event::Chunk:
        EXPECT_FALSE(connection_.chunk().empty());
        content_ += connection_.chunk();
        return true;
      case Event::Trailer: {
        const Field trailer = connection_.trailer();
        trailers_ += "  trailer " + std::string(trailer.name) + ": " + std::string(trailer.value) + '\n';
        return true;
      }
      case Event::End: end(); return true;
      case Event::Reject: reject(); return true;
      case Event::Closed: break;
    }
    if (!closed_) text_ += "closed\n";
    closed_ = true;
    return false;
  }

  // Compares the target parts that the reader reports with split_target().
  void check_target() {
    const Target parts = split_target(head_.target);
    EXPECT_EQ(head_.parts.authority, parts.authority) << head_.target;
    EXPECT_EQ(head_.parts.path, parts.path) << head_.target;
    EXPECT_EQ(head_.parts.query, parts.query) << head_.target;
    if (!head_.plain_path) return;
    EXPECT_EQ(parts.path.find('%'), std::string_view::npos) << head_.target;
    EXPECT_EQ(parts.path.find("/."), std::string_view::npos) << head_.target;
  }

  void request() {
    check_target();
    text_ += head_.method == Method::Extension ? head_.extension_method : method_name(head_.method);
    text_ += ' ';
    text_ += head_.target;
    text_ += head_.version == Version::Http10 ? " 1.0\n" : "\n";
    for (const Field& field : head_.fields) {
      text_ += "  " + std::string(field.name) + ": " + std::string(field.value) + '\n';
    }
    content_.clear();
    trailers_.clear();
    if (!options_.take_content) return;
    if (const auto content = connection_.take_content()) {
      content_ = *content;
      end();
    }
  }

  void end() {
    EXPECT_TRUE(connection_.content_complete());
    text_ += "  content: " + content_ + '\n' + trailers_;
    answer();
  }

  void reject() {
    EXPECT_TRUE(connection_.answer_owed());
    const Reject why = connection_.rejected();
    text_ += "reject " + std::to_string(code(why.status)) + ": " + std::string(why.detail) + '\n';
    answer();
    EXPECT_TRUE(connection_.must_close());
  }

  void answer() {
    std::string out;
    connection_.answer(out, {}, "");
  }

  FeedOptions options_;
  Connection connection_;
  GuardedText guarded_{padding};
  RequestHead head_;
  std::string pending_;
  std::string content_;
  std::string trailers_;
  std::string text_;
  bool closed_ = false;
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
  return feeder.transcript();
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
  FeedOptions other = options;
  other.take_content = !options.take_content;
  EXPECT_EQ(feed_whole(input, other), whole) << "with and without take_content():\n" << input;
  EXPECT_EQ(feed_byte_by_byte(input, other), whole) << "with and without take_content(), byte by byte:\n" << input;
  return whole;
}

}  // namespace tern::http1::testing
