#include "redis/reply_check.hpp"

#include <hiredis/hiredis.h>

namespace tern::redis {

struct ReplyCheck::Functions {
  static ReplyCheck& of(const redisReadTask* task) noexcept { return *static_cast<ReplyCheck*>(task->privdata); }

  // What is null ends the connection.
  static void* string(const redisReadTask* task, char* text, std::size_t size) {
    return of(task).admit(*task, {text, size}) ? of(task).original_->createString(task, text, size) : nullptr;
  }
  static void* array(const redisReadTask* task, int elements) {
    return of(task).admit(*task, {}, elements) ? of(task).original_->createArray(task, elements) : nullptr;
  }
  static void* integer(const redisReadTask* task, long long value) {
    return of(task).admit(*task, {}) ? of(task).original_->createInteger(task, value) : nullptr;
  }
  static void* nil(const redisReadTask* task) {
    of(task).refused_ = true;
    return nullptr;
  }

  static redisReplyObjectFunctions table;
};

// Not const, because hiredis wants it so; nobody changes it.
redisReplyObjectFunctions ReplyCheck::Functions::table{.createString = &string,
                                                       .createArray = &array,
                                                       .createInteger = &integer,
                                                       .createNil = &nil,
                                                       .freeObject = &freeReplyObject};

void ReplyCheck::install(redisReader& reader) noexcept {
  original_ = reader.fn;
  reader.fn = &Functions::table;
  reader.privdata = this;
}

bool ReplyCheck::admit(const redisReadTask& task, std::string_view text, int elements) noexcept {
  const bool admitted = task.parent == nullptr ? admit_whole(task, elements) : admit_part(task, text);
  refused_ = refused_ || !admitted;
  return admitted;
}

bool ReplyCheck::admit_whole(const redisReadTask& task, int elements) noexcept {
  if (answers_ != 0) {
    --answers_;
    return task.type == REDIS_REPLY_STATUS || task.type == REDIS_REPLY_INTEGER || task.type == REDIS_REPLY_ERROR;
  }
  if (task.type == REDIS_REPLY_ERROR) return true;  // such as that there are too many clients
  return subscribed_ && task.type == REDIS_REPLY_ARRAY && elements == 3;
}

bool ReplyCheck::admit_part(const redisReadTask& task, std::string_view text) const noexcept {
  switch (task.idx) {
    case 0: return task.type == REDIS_REPLY_STRING && (text == "subscribe" || text == "message");
    case 1: return task.type == REDIS_REPLY_STRING;
    default: return task.type == REDIS_REPLY_STRING || task.type == REDIS_REPLY_INTEGER;
  }
}

}  // namespace tern::redis
