// MemoryStore: a Store in the memory of this process.
#pragma once

#include <tern/base/box.hpp>
#include <tern/http/store.hpp>

#include <cstddef>

namespace tern {

namespace web {
class StoreShards;
}

struct MemoryStoreOptions {
  // Of keys, values and about 150 bytes for each entry. Beyond, the least recently used entries are dropped.
  std::size_t max_bytes = 64 * 1024 * 1024;
};

// Ends with the process. Thread-safe; its tasks never wait. Expired entries are removed within about a minute while
// there are writes. A value of more than a sixteenth of max_bytes is a StoreError.
class MemoryStore final : public Store {
public:
  MemoryStore() : MemoryStore(MemoryStoreOptions()) {}
  // Throws SetupError for less than 64 KiB.
  explicit MemoryStore(const MemoryStoreOptions& options);
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  Task<std::optional<StoreEntry>> read(std::string_view key) override;
  Task<std::optional<std::uint64_t>> write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                           std::optional<std::uint64_t> expected = {}) override;
  Task<bool> extend(std::string_view key, Milliseconds lifetime) override;
  Task<bool> erase(std::string_view key, std::optional<std::uint64_t> expected = {}) override;

  // Also expired ones that were not removed yet.
  std::size_t entries() const;
  std::size_t bytes() const;

private:
  base::Box<web::StoreShards> shards_;
};

}  // namespace tern
