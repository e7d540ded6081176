// Store: keeps small entries outside of requests, such as sessions, for one server or several.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/coro/task.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tern {

// The store is unavailable, or cannot hold the value. For the log; not for clients.
class StoreError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// A value under a key. Its version changes with each write. A version is never 0, and no other value of that key has
// the same one, also after the entry was erased or has expired.
struct StoreEntry {
  std::string value;
  std::uint64_t version = 0;
};

// Entries with a lifetime, and writes that depend on what is there: tern::MemoryStore in the process, or one that
// servers share. Keys and values are any bytes; keys have at most 256. Each call is atomic, also with respect to other
// servers. From any loop; views must be valid until the task has ended. All tasks throw StoreError if the store fails:
// a write may or may not have happened then.
class Store {
public:
  // As `expected`: there is no entry, or it has expired.
  static constexpr std::uint64_t absent = 0;

  virtual ~Store() = default;

  // Unset if there is none, or it has expired.
  virtual Task<std::optional<StoreEntry>> read(std::string_view key) = 0;

  // Writes if the entry has the version `expected`; without that, whatever is there. The entry expires after
  // `lifetime`, which is at least one millisecond. Returns its new version; unset if there was another version, and
  // nothing changed.
  virtual Task<std::optional<std::uint64_t>> write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                                   std::optional<std::uint64_t> expected = {}) = 0;

  // Lets the entry expire after `lifetime` from now. Its version stays. False if there is none.
  virtual Task<bool> extend(std::string_view key, Milliseconds lifetime) = 0;

  // Removes the entry if it has the version `expected`; without that, any. False if there was none like that.
  virtual Task<bool> erase(std::string_view key, std::optional<std::uint64_t> expected = {}) = 0;

protected:
  Store() = default;
  Store(const Store&) = default;
  Store(Store&&) = default;
  Store& operator=(const Store&) = default;
  Store& operator=(Store&&) = default;
};

}  // namespace tern
