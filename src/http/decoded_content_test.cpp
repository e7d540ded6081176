#include "coro/manual_executor.hpp"

#include <tern/http/body_stream.hpp>
#include <tern/http/content_decoder.hpp>
#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tern::http {
namespace {

// A digit and a letter are the letter so many thousand times; '!' is malformed.
class Repeating final : public ContentDecoder {
public:
  explicit Repeating(std::size_t memory = 0) : memory_(memory) {}

  Decoded decode(std::string_view& input, char* out, std::size_t room) override {
    std::size_t written = 0;
    while (written < room && (left_ != 0 || !input.empty())) {
      if (left_ == 0) {
        const char c = input.front();
        input.remove_prefix(1);
        if (c == '!') return {State::Malformed, written};
        if (c >= '0' && c <= '9') {
          digit_ = static_cast<std::size_t>(c - '0');
          between_ = true;
          continue;
        }
        letter_ = c;
        left_ = digit_ * 1000;
        between_ = false;
      }
      const std::size_t count = std::min(left_, room - written);
      std::fill_n(out + written, count, letter_);
      written += count;
      left_ -= count;
    }
    return {left_ != 0 ? State::HasMore : State::NeedsInput, written};
  }
  bool complete() const noexcept override { return !between_ && left_ == 0; }
  std::size_t memory() const noexcept override { return memory_; }

private:
  std::size_t memory_;
  std::size_t digit_ = 0;
  std::size_t left_ = 0;
  char letter_ = ' ';
  bool between_ = false;
};

using Body = std::expected<void, StreamError>;

class DecodedContentTest : public ::testing::Test {
protected:
  explicit DecodedContentTest(std::size_t memory = 0) {
    exchange.decode_with(base::Box<ContentDecoder>(new Repeating(memory)));
    task = read_body(exchange);
    EXPECT_FALSE(task.start([](void* flag) { *static_cast<bool*>(flag) = true; }, &ended));
  }

  coro::ManualExecutor executor;
  MemoryExchange exchange{Method::Post, "/", {}, "", true};
  bool ended = false;
  Task<Body> task;
};

TEST_F(DecodedContentTest, content_is_decoded_as_it_arrives) {
  EXPECT_TRUE(exchange.pinned());
  for (const char* piece : {"1", "a", "0b0c", "2", "d1e"}) exchange.arrive(piece);
  EXPECT_FALSE(ended);
  exchange.end();
  EXPECT_TRUE(ended);
  ASSERT_TRUE(task.result());
  EXPECT_EQ(exchange.request().body(), std::string(1000, 'a') + std::string(2000, 'd') + std::string(1000, 'e'));
}

TEST_F(DecodedContentTest, content_is_never_complete_with_its_head) {
  MemoryExchange other(Method::Post, "/", {}, "1a");
  EXPECT_TRUE(other.body_complete());
  other.decode_with(base::Box<ContentDecoder>(new Repeating));
  EXPECT_FALSE(other.body_complete());
  EXPECT_TRUE(other.decodes());
}

TEST_F(DecodedContentTest, truncated_content_is_malformed) {
  exchange.arrive("1a1");
  exchange.end();
  ASSERT_TRUE(ended);
  const StreamError error = task.result().error();
  EXPECT_EQ(error, StreamError::Malformed);
  EXPECT_EQ(error.status(), Status::BadRequest);
}

TEST_F(DecodedContentTest, an_error_of_the_decoder_ends_the_content) {
  exchange.arrive("1a!");
  ASSERT_TRUE(ended);
  EXPECT_EQ(task.result().error(), StreamError::Malformed);
  EXPECT_EQ(exchange.read().error(), StreamError::Malformed);
}

TEST_F(DecodedContentTest, errors_of_the_exchange_pass_through) {
  exchange.arrive("1");
  exchange.fail(StreamError::TooSlow);
  ASSERT_TRUE(ended);
  EXPECT_EQ(task.result().error(), StreamError::TooSlow);
}

TEST_F(DecodedContentTest, a_client_that_leaves_ends_the_wait) {
  exchange.arrive("1a");
  exchange.disconnect();
  executor.run();
  ASSERT_TRUE(ended);
  EXPECT_EQ(task.result().error(), StreamError::Disconnected);
}

TEST_F(DecodedContentTest, the_limit_is_that_of_the_decoded_content) {
  exchange.limit({.max_body_bytes = 9000});
  exchange.arrive("9a");
  EXPECT_FALSE(ended);
  exchange.arrive("1b");
  ASSERT_TRUE(ended);
  EXPECT_EQ(task.result().error(), StreamError::TooLarge);
}

// 1,000 pairs are 9 megabytes.
TEST_F(DecodedContentTest, other_work_has_its_turn_after_a_megabyte) {
  std::string pairs;
  for (int i = 0; i < 1000; ++i) pairs += "9a";
  exchange.arrive(pairs);
  exchange.end();
  EXPECT_FALSE(ended);
  EXPECT_LE(exchange.request().collected_body().size(), 1024U * 1024);
  int turns = 0;
  while (!ended && executor.step()) ++turns;
  EXPECT_GE(turns, 8);
  ASSERT_TRUE(task.result());
  EXPECT_EQ(exchange.request().body().size(), 9'000'000U);
}

TEST_F(DecodedContentTest, a_reader_that_is_destroyed_waits_no_more) {
  std::string pairs;
  for (int i = 0; i < 1000; ++i) pairs += "9a";
  exchange.arrive(pairs);
  task = {};
  executor.run();
  EXPECT_FALSE(ended);
}

TEST_F(DecodedContentTest, memory_counts_towards_the_budget) {
  MemoryExchange other(Method::Post, "/", {}, "1a");
  other.set_budget(100'000);
  other.decode_with(base::Box<ContentDecoder>(new Repeating(200'000)));
  ASSERT_TRUE(other.readable());
  EXPECT_EQ(other.read().error(), StreamError::Overloaded);
}

}  // namespace
}  // namespace tern::http
