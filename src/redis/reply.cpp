#include "redis/reply.hpp"

#include <tern/redis/error.hpp>
#include <tern/redis/reply.hpp>

#include <hiredis/hiredis.h>

namespace tern::redis {
namespace {

std::string_view name_of(RedisReply::Kind kind) {
  switch (kind) {
    case RedisReply::Kind::Nil: return "nil";
    case RedisReply::Kind::Status: return "a status";
    case RedisReply::Kind::String: return "a string";
    case RedisReply::Kind::Integer: return "an integer";
    case RedisReply::Kind::List: return "a list";
    case RedisReply::Kind::Error: return "an error";
  }
  return {};
}

RedisReply::Kind kind_of(int type) {
  switch (type) {
    case REDIS_REPLY_STATUS: return RedisReply::Kind::Status;
    case REDIS_REPLY_STRING: return RedisReply::Kind::String;
    case REDIS_REPLY_INTEGER: return RedisReply::Kind::Integer;
    case REDIS_REPLY_ARRAY: return RedisReply::Kind::List;
    case REDIS_REPLY_ERROR: return RedisReply::Kind::Error;
    default: return RedisReply::Kind::Nil;
  }
}

}  // namespace

void refuse(const RedisReply& reply, std::string_view wanted) {
  if (reply.kind == RedisReply::Kind::Error) {
    throw RedisError(RedisFault::Refused, reply.text, reply.text.substr(0, reply.text.find(' ')));
  }
  std::string text = "the reply is ";
  text += name_of(reply.kind);
  text += ", not ";
  text += wanted;
  throw RedisError(RedisFault::Type, text);
}

RedisStreamEntry convert_entry(RedisReply& reply) {
  if (reply.kind != RedisReply::Kind::List || reply.items.size() != 2) refuse(reply, "an entry of a stream");
  RedisStreamEntry entry{convert<std::string>(std::move(reply.items[0])), {}};
  if (!reply.items[1].is_nil()) entry.fields = convert<decltype(entry.fields)>(std::move(reply.items[1]));
  return entry;
}

// ReplyCheck limits the depth.
RedisReply reply_of(const redisReply& reply) {
  RedisReply result;
  result.kind = kind_of(reply.type);
  if (result.kind == RedisReply::Kind::Integer) result.integer = reply.integer;
  if (reply.str != nullptr && reply.type != REDIS_REPLY_ARRAY) result.text.assign(reply.str, reply.len);
  if (result.kind == RedisReply::Kind::List) {
    result.items.reserve(reply.elements);
    for (std::size_t i = 0; i < reply.elements; ++i) result.items.push_back(reply_of(*reply.element[i]));
  }
  return result;
}

}  // namespace tern::redis
