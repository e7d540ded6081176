// RedisBlocking: a connection for commands that wait in Redis.
#pragma once

#include <tern/redis/client.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace tern {

// A connection of its own, for each loop that uses it, with the options of a Redis. For commands that wait: BLPOP,
// BLMOVE, BZPOPMIN, WAIT, XREAD and XREADGROUP with BLOCK, and the like. Commands on it run one after another: a worker
// has one of its own.
//
//   const tern::RedisBlocking queue(redis, tern::Seconds(30));
//   while (true) {
//     const auto job = co_await queue.command<std::optional<std::vector<std::string>>>("BLPOP", "jobs", 30);
//     if (job) co_await work(job->at(1));
//   }
//
// A coroutine that is stopped while it waits ends the connection, so that Redis gives no element to a command without
// a reader. An element that Redis has sent at that very moment is lost: what must not be lost is moved (BLMOVE)
// or acknowledged (XREADGROUP).
class RedisBlocking {
public:
  // `max_wait`: how long a command waits at most, by its own argument. One without a reply for so long, and the timeout
  // of the options, is RedisFault::TimedOut.
  RedisBlocking(const Redis& redis, Milliseconds max_wait) : redis_(redis.options(), max_wait) {}

  // As Redis::command(), which has the types of replies. Throws std::invalid_argument for commands that change the
  // connection: subscriptions, MULTI, WATCH, SELECT, AUTH.
  template <class T = RedisReply, class... Words>
  RedisCommand<T> command(const Words&... words) const {
    std::string text = redis::encode(words...);
    redis::check_command(text, true);
    return RedisCommand<T>(*redis_.client_, redis::Request(std::move(text)));
  }

  // Of its own connections, which Redis::statistics() does not have. `unanswered`: commands that wait.
  RedisStatistics statistics() const { return redis_.statistics(); }
  // For AdminAddress::pool().
  void report(http::FigureSink& sink, std::string_view name) const { redis_.report(sink, name); }

private:
  Redis redis_;
};

}  // namespace tern
