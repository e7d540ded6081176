// hiredis's replies as values.
#pragma once

#include <tern/redis/reply.hpp>

struct redisReply;

namespace tern::redis {

RedisReply reply_of(const redisReply& reply);

}  // namespace tern::redis
