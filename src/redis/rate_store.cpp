// GCRA in Redis, as web/rate_table.hpp in memory: of each key, the time at which its bucket is full again.
#include <tern/redis/rate_store.hpp>

#include <tern/base/sha1.hpp>
#include <tern/http/store.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tern {
namespace {

constexpr std::size_t max_key = 64;  // bytes; a longer key is hashed, so that clients cannot fill Redis by long ones

// ARGV: limit, window in seconds, cost. A negative cost gives tokens back. Times are microseconds; they are stored with
// two decimals, because Lua prints numbers with 14 digits otherwise. When the clock of Redis goes back, a bucket counts
// as empty at most. The nudge is for the division: a full bucket has its limit.
const RedisScript& rate_script() {
  static const RedisScript script(R"(
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local capacity = tonumber(ARGV[2]) * 1000000
local interval = capacity / tonumber(ARGV[1])
local cost = tonumber(ARGV[3]) * interval
local stored = redis.call('GET', KEYS[1])
local full_in = 0
if stored then full_in = math.min(math.max(tonumber(stored) - now, 0), capacity) end
local after = math.max(full_in + cost, 0)
local allowed_in = after - capacity
if allowed_in > 0.5 then
  return {0, math.floor((capacity - full_in) / interval + 0.001), math.ceil(full_in), math.ceil(allowed_in)}
end
if after == 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], string.format('%.2f', now + after), 'PX', math.ceil(after / 1000) + 1)
end
return {1, math.floor((capacity - after) / interval + 0.001), math.ceil(after), 0}
)");
  return script;
}

std::string name_of(const RedisOptions& options, const RateRule& rule, std::string_view key) {
  std::string name = options.prefix;
  name += ":rate:";
  name += rule.name;
  name += ':' + std::to_string(rule.limit) + '/' + std::to_string(rule.window.count()) + ':';
  if (key.size() <= max_key) return name += key;
  const auto digest = base::sha1(key);
  return name.append("sha1:").append(reinterpret_cast<const char*>(digest.data()), digest.size());
}

Task<RateOutcome> run(const Redis& redis, const RateRule& rule, std::string_view key, std::int64_t cost) {
  const std::string name = name_of(redis.options(), rule, key);
  std::vector<std::uint64_t> numbers;
  try {
    auto script =
        redis.eval<std::vector<std::uint64_t>>(rate_script(), RedisKeys(name), rule.limit, rule.window.count(), cost);
    numbers = co_await std::move(script);
  } catch (const RedisError& error) {
    throw StoreError(error.what());
  }
  if (numbers.size() != 4) throw StoreError("Redis has not run the script of a rate limit");
  co_return RateOutcome{numbers[0] == 1, numbers[1], numbers[2] * 1000, numbers[3] * 1000};
}

std::int64_t affordable(const RateRule& rule, std::uint64_t cost) {
  return static_cast<std::int64_t>(std::min(cost, rule.limit + 1));  // more is never affordable
}

}  // namespace

Task<RateOutcome> RedisRateStore::take(const RateRule& rule, std::string_view key, std::uint64_t cost) {
  return run(redis_, rule, key, affordable(rule, cost));
}

Task<RateOutcome> RedisRateStore::give_back(const RateRule& rule, std::string_view key, std::uint64_t cost) {
  return run(redis_, rule, key, -affordable(rule, cost));
}

}  // namespace tern
