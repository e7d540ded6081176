// RedisSubscription: published messages, one by one.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/task.hpp>
#include <tern/redis/client.hpp>

#include <string>
#include <vector>

namespace tern {

namespace redis {
class Subscriber;
}

struct RedisMessage {
  std::string channel;
  std::string payload;
  std::string pattern;  // by which it was found; empty: by the name of the channel
  bool missed = false;  // only this: the connection was lost and made again, and messages in between are lost
};

// The messages of some channels (SUBSCRIBE), and of those whose names match patterns (PSUBSCRIBE), on a connection of
// its own with the options of a Redis. Belongs to one coroutine, on the loop of its first call.
//
//   tern::RedisSubscription orders(redis, {"orders"});
//   while (true) {
//     const tern::RedisMessage message = co_await orders.next();
//     if (message.missed) continue;  // read what may have changed meanwhile
//   }
//
// Up to 1,024 messages, or `max_queued` bytes, are kept for a slow reader. Further ones wait in Redis, which ends the
// connection when there are too many for it (client-output-buffer-limit): then some are missed. A message that is
// larger than `max_reply` loses the connection, too.
class RedisSubscription {
public:
  // Throws std::invalid_argument without a channel and a pattern. Does not connect.
  RedisSubscription(const Redis& redis, std::vector<std::string> channels, std::vector<std::string> patterns = {});

  // Subscribes at the first call. While Redis is away, it waits and tries again. Throws Cancelled if the coroutine is
  // stopped, and RedisError (Refused) if Redis does not permit it: a wrong password, no permission for a channel.
  Task<RedisMessage> next();
  // Subscribes before the first message is awaited: what is published after it has returned arrives.
  Task<> subscribe();

private:
  base::Box<redis::Subscriber> subscriber_;
};

}  // namespace tern
