#include <tern/web/memory_store.hpp>

#include "web/clock.hpp"

#include <tern/app/app.hpp>
#include <tern/base/lru_map.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr std::size_t shard_count = 16;
constexpr std::size_t min_bytes = 64 * 1024;
constexpr std::uint64_t time_between_sweeps = 60'000;

struct TimedEntry {
  StoreEntry entry;
  std::uint64_t expires_at = 0;
};

std::uint64_t expiry_after(Milliseconds lifetime, std::uint64_t now) noexcept {
  return now + static_cast<std::uint64_t>(std::max<Milliseconds::rep>(lifetime.count(), 1));
}

}  // namespace

// A part of the entries. One lock for a few instructions, and for a sweep of a sixteenth of all entries each minute.
class StoreShard {
public:
  explicit StoreShard(std::size_t max_bytes) : entries_(max_bytes) {}

  std::optional<StoreEntry> read(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const TimedEntry* const found = find(key);
    return found != nullptr ? std::optional(found->entry) : std::nullopt;
  }

  std::optional<std::uint64_t> write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                     std::optional<std::uint64_t> expected, std::uint64_t version) {
    const std::uint64_t now = now_in_milliseconds();
    TimedEntry added{{std::string(value), version}, expiry_after(lifetime, now)};
    const std::lock_guard lock(mutex_);
    sweep(now);
    if (expected && version_of(find(key)) != *expected) return std::nullopt;
    if (!entries_.put(key, std::move(added), value.size())) throw StoreError("the value is too large for MemoryStore");
    return version;
  }

  bool extend(std::string_view key, Milliseconds lifetime) {
    const std::lock_guard lock(mutex_);
    TimedEntry* const found = find(key);
    if (found != nullptr) found->expires_at = expiry_after(lifetime, now_in_milliseconds());
    return found != nullptr;
  }

  bool erase(std::string_view key, std::optional<std::uint64_t> expected) {
    const std::lock_guard lock(mutex_);
    const TimedEntry* const found = find(key);
    if (found == nullptr || (expected && found->entry.version != *expected)) return false;
    return entries_.erase(key);
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return entries_.bytes();
  }

private:
  static std::uint64_t version_of(const TimedEntry* found) noexcept {
    return found != nullptr ? found->entry.version : Store::absent;
  }

  TimedEntry* find(std::string_view key) {
    TimedEntry* const found = entries_.find(key);
    if (found == nullptr || found->expires_at > now_in_milliseconds()) return found;
    entries_.erase(key);
    return nullptr;
  }

  void sweep(std::uint64_t now) {
    if (now < next_sweep_) return;
    next_sweep_ = now + time_between_sweeps;
    entries_.erase_if([now](const TimedEntry& each) { return each.expires_at <= now; });
  }

  mutable std::mutex mutex_;
  base::LruMap<TimedEntry> entries_;
  std::uint64_t next_sweep_ = 0;
};

class StoreShards {
public:
  explicit StoreShards(std::size_t max_bytes) {
    if (max_bytes < min_bytes) throw SetupError("MemoryStore: max_bytes is at least 65,536");
    for (auto& shard : shards_) shard = base::make_box<StoreShard>(max_bytes / shard_count);
  }

  // LruMap chooses its buckets by the low bits of the same hash.
  StoreShard& of(std::string_view key) noexcept {
    return *shards_[(std::hash<std::string_view>()(key) >> 32) % shard_count];
  }
  std::uint64_t next_version() noexcept { return ++version_; }

  template <class F>
  std::size_t sum(F part) const {
    std::size_t all = 0;
    for (const auto& shard : shards_) all += part(*shard);
    return all;
  }

private:
  std::array<base::Box<StoreShard>, shard_count> shards_;
  std::atomic<std::uint64_t> version_ = 0;
};

}  // namespace web

MemoryStore::MemoryStore(const MemoryStoreOptions& options)
    : shards_(base::make_box<web::StoreShards>(options.max_bytes)) {}

Task<std::optional<StoreEntry>> MemoryStore::read(std::string_view key) {
  co_return shards_->of(key).read(key);
}

Task<std::optional<std::uint64_t>> MemoryStore::write(std::string_view key, std::string_view value,
                                                      Milliseconds lifetime, std::optional<std::uint64_t> expected) {
  co_return shards_->of(key).write(key, value, lifetime, expected, shards_->next_version());
}

Task<bool> MemoryStore::extend(std::string_view key, Milliseconds lifetime) {
  co_return shards_->of(key).extend(key, lifetime);
}

Task<bool> MemoryStore::erase(std::string_view key, std::optional<std::uint64_t> expected) {
  co_return shards_->of(key).erase(key, expected);
}

std::size_t MemoryStore::entries() const {
  return shards_->sum([](const web::StoreShard& shard) { return shard.size(); });
}

std::size_t MemoryStore::bytes() const {
  return shards_->sum([](const web::StoreShard& shard) { return shard.bytes(); });
}

}  // namespace tern
