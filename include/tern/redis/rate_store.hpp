// RedisRateStore: rate limits that servers share.
#pragma once

#include <tern/http/rate_store.hpp>
#include <tern/redis/client.hpp>

#include <cstdint>
#include <string_view>

namespace tern {

// For RateLimitOptions::store. Each request of a limit is one script in Redis, by the clock of Redis: servers share a
// limit exactly, whatever their own clocks. A key is one Redis key below `<prefix>:rate:`, which expires when its
// bucket is full. Every RedisError is a StoreError.
class RedisRateStore final : public RateStore {
public:
  explicit RedisRateStore(Redis redis) : redis_(redis) {}

  Task<RateOutcome> take(const RateRule& rule, std::string_view key, std::uint64_t cost) override;
  Task<RateOutcome> give_back(const RateRule& rule, std::string_view key, std::uint64_t cost) override;

private:
  Redis redis_;
};

}  // namespace tern
