// What Redis may say on a connection, held against what hiredis 0.14 takes for granted: it asserts that nobody answers
// unasked, and that whatever comes to a subscriber is an array which begins with two strings. A peer that is no Redis
// would end the process. So each value is looked at when the reader makes it; refused, the connection ends.
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

  // Of a context; this outlives it.
  void install(redisReader& reader) noexcept;
  // One more command was given: a status, a number or an error follows.
  void expect_answer() noexcept { ++answers_; }
  // From now on there are no answers but errors: "subscribe" and "message", a channel, and a number or string.
  void expect_messages() noexcept { subscribed_ = true; }
  bool refused() const noexcept { return refused_; }

private:
  struct Functions;  // what the reader calls

  bool admit(const redisReadTask& task, std::string_view text, int elements = 0) noexcept;
  bool admit_whole(const redisReadTask& task, int elements) noexcept;
  bool admit_part(const redisReadTask& task, std::string_view text) const noexcept;

  const redisReplyObjectFunctions* original_ = nullptr;
  std::size_t answers_ = 0;  // to come
  bool subscribed_ = false;
  bool refused_ = false;
};

}  // namespace tern::redis
