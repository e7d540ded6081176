// RedisStore: a Store that servers share.
#pragma once

#include <tern/http/store.hpp>
#include <tern/redis/client.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// Entries are strings under `<prefix>:store:<key>`, which expire by themselves. Reading and extending are one command
// each, conditional writes and erasures one script. A value of more than RedisOptions::max_queued is a StoreError, as
// is every RedisError. Redis must not evict keys (maxmemory-policy noeviction), unless entries may be lost.
class RedisStore final : public Store {
public:
  explicit RedisStore(Redis redis);

  Task<std::optional<StoreEntry>> read(std::string_view key) override;
  Task<std::optional<std::uint64_t>> write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                           std::optional<std::uint64_t> expected = {}) override;
  Task<bool> extend(std::string_view key, Milliseconds lifetime) override;
  Task<bool> erase(std::string_view key, std::optional<std::uint64_t> expected = {}) override;

private:
  std::string name_of(std::string_view key) const;

  Redis redis_;
};

}  // namespace tern
