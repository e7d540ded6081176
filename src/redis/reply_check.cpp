#include "redis/reply_check.hpp"

#include <hiredis/hiredis.h>

namespace tern::redis {
namespace {

constexpr std::size_t value_bytes = 64;  // of each value, in addition to its text
constexpr int max_depth = 8;             // of lists within each other

// Of RESP2, where nil is a string or a list.
bool is_known(int type) noexcept {
  return type >= REDIS_REPLY_STRING && type <= REDIS_REPLY_ERROR && type != REDIS_REPLY_NIL;
}

int depth_of(const redisReadTask& task) noexcept {
  int depth = 0;
  for (const redisReadTask* outer = task.parent; outer != nullptr; outer = outer->parent) ++depth;
  return depth;
}

}  // namespace

// For hiredis 0.14 and 1.x, which count the elements of a list in another type. 1.x also knows the types of RESP3,
// which Redis does not send unless it is asked to.
struct ReplyCheck::Functions {
  static ReplyCheck& of(const redisReadTask* task) noexcept { return *static_cast<ReplyCheck*>(task->privdata); }
  static void* refuse(const redisReadTask* task) noexcept {
    of(task).refused_ = true;
    return nullptr;  // ends the connection
  }

  static void* string(const redisReadTask* task, char* text, std::size_t size) {
    return of(task).check(*task, {text, size}) ? of(task).original_->createString(task, text, size) : nullptr;
  }
  template <class Count>
  static void* array(const redisReadTask* task, Count elements) {
    if (depth_of(*task) >= max_depth) return refuse(task);
    const bool valid = of(task).check(*task, {}, static_cast<std::size_t>(elements));
    return valid ? of(task).original_->createArray(task, elements) : nullptr;
  }
  static void* integer(const redisReadTask* task, long long value) {
    return of(task).check(*task, {}) ? of(task).original_->createInteger(task, value) : nullptr;
  }
  static void* nil(const redisReadTask* task) {
    ReplyCheck& self = of(task);
    return self.max_bytes_ != 0 && self.check(*task, {}) ? self.original_->createNil(task) : refuse(task);
  }

  template <class Table>
  static Table make_table() {
    Table made{};
    made.createString = &string;
    made.createArray = &array;
    made.createInteger = &integer;
    made.createNil = &nil;
    made.freeObject = &freeReplyObject;
    if constexpr (requires { made.createDouble; }) {
      made.createDouble = [](const redisReadTask* task, double, char*, std::size_t) { return refuse(task); };
      made.createBool = [](const redisReadTask* task, int) { return refuse(task); };
    }
    return made;
  }
  static redisReplyObjectFunctions table;
};

// Not const, because hiredis requires it; never modified.
redisReplyObjectFunctions ReplyCheck::Functions::table = make_table<redisReplyObjectFunctions>();

void ReplyCheck::install(redisReader& reader) noexcept {
  original_ = reader.fn;
  reader.fn = &Functions::table;
  reader.privdata = this;
}

bool ReplyCheck::check(const redisReadTask& task, std::string_view text, std::size_t elements) noexcept {
  if (max_bytes_ != 0) {
    const bool valid = is_known(task.type) && check_any(task, text.size() + elements * sizeof(void*));
    refused_ = refused_ || !valid;
    return valid;
  }
  const bool valid = task.parent == nullptr ? check_reply(task, elements) : check_element(task, text);
  refused_ = refused_ || !valid;
  return valid;
}

// (The size of a list is checked before hiredis allocates its elements.)
bool ReplyCheck::check_any(const redisReadTask& task, std::size_t bytes) noexcept {
  if (task.parent == nullptr) {
    if (expected_replies_ == 0) return task.type == REDIS_REPLY_ERROR;
    --expected_replies_;
    reply_bytes_ = 0;
  }
  reply_bytes_ += bytes + value_bytes;
  too_large_ = reply_bytes_ > max_bytes_;
  return !too_large_;
}

// hiredis collects a string before it creates the value.
void ReplyCheck::received(std::size_t bytes) noexcept {
  const std::size_t max = subscribed_ ? max_message_ : max_bytes_;
  if (max != 0 && bytes > max) too_large_ = refused_ = true;
}

bool ReplyCheck::check_reply(const redisReadTask& task, std::size_t elements) noexcept {
  if (expected_replies_ != 0) {
    --expected_replies_;
    return task.type == REDIS_REPLY_STATUS || task.type == REDIS_REPLY_INTEGER || task.type == REDIS_REPLY_ERROR;
  }
  if (task.type == REDIS_REPLY_ERROR) return true;  // for example: too many clients
  return subscribed_ && task.type == REDIS_REPLY_ARRAY && (elements == 3 || elements == 4);
}

bool ReplyCheck::check_element(const redisReadTask& task, std::string_view text) const noexcept {
  const bool has_four = task.parent->elements == 4;
  switch (task.idx) {
    case 0:
      return task.type == REDIS_REPLY_STRING &&
             (has_four ? text == "pmessage" : text == "subscribe" || text == "psubscribe" || text == "message");
    case 1: return task.type == REDIS_REPLY_STRING;
    default: return task.type == REDIS_REPLY_STRING || task.type == REDIS_REPLY_INTEGER;
  }
}

}  // namespace tern::redis
