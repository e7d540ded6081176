// Validates replies while hiredis parses them: nothing is unsolicited, each message to a subscriber is an array that
// begins with two strings, and the size and depth of a reply are bounded before its memory is allocated. Each value is
// therefore checked when the reader creates it; an invalid one ends the connection.
#pragma once

#include <cstddef>
#include <string_view>

struct redisReader;
struct redisReadTask;
struct redisReplyObjectFunctions;

namespace tern::redis {

class ReplyCheck {
public:
  ReplyCheck() = default;
  ReplyCheck(const ReplyCheck&) = delete;
  ReplyCheck& operator=(const ReplyCheck&) = delete;

  // The reader of a context; this outlives it.
  void install(redisReader& reader) noexcept;
  // A command was sent: its reply is a status, a number or an error.
  void expect_reply() noexcept { ++expected_replies_; }
  // From now on, replies are of any type, and of up to `max_bytes` with 64 for each value.
  void expect_any(std::size_t max_bytes) noexcept { max_bytes_ = max_bytes; }
  // From now on there are only errors and messages of up to `max_bytes`: "subscribe", "psubscribe" or "message", a
  // name, and a number or string; or "pmessage", a pattern, a channel and a string.
  void expect_messages(std::size_t max_bytes) noexcept {
    subscribed_ = true;
    max_message_ = max_bytes;
  }
  bool refused() const noexcept { return refused_; }
  // Whether the reason is the size of a reply.
  bool too_large() const noexcept { return too_large_; }
  // Refuses the rest of a reply of which so many bytes were received.
  void received(std::size_t bytes) noexcept;

private:
  struct Functions;  // the reader's callbacks

  bool check(const redisReadTask& task, std::string_view text, std::size_t elements = 0) noexcept;
  bool check_any(const redisReadTask& task, std::size_t bytes) noexcept;
  bool check_reply(const redisReadTask& task, std::size_t elements) noexcept;
  bool check_element(const redisReadTask& task, std::string_view text) const noexcept;

  const redisReplyObjectFunctions* original_ = nullptr;
  std::size_t expected_replies_ = 0;  // to be received
  std::size_t max_bytes_ = 0;         // of any reply; 0: only those of the bus
  std::size_t reply_bytes_ = 0;       // of the reply that is being read
  std::size_t max_message_ = 0;       // of a subscriber; 0: no limit
  bool subscribed_ = false;
  bool too_large_ = false;
  bool refused_ = false;
};

}  // namespace tern::redis
