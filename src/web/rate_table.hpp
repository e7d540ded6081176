// The token buckets of many keys, in bounded memory.
//
// GCRA: of each key, the time at which its bucket is full again. A key without a place has a full bucket.
#pragma once

#include <tern/http/rate_store.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tern::web {

// The nanoseconds that time has not given back of what was taken so long ago: of a bucket that is full again, none.
constexpr std::uint64_t not_returned_of(const RateOutcome& taken, std::uint64_t elapsed) noexcept {
  return taken.full_in > elapsed ? taken.full_in - elapsed : 0;
}

// Thread-safe. Times are nanoseconds of one monotonic clock.
class RateTable {
public:
  using Outcome = RateOutcome;

  // Buckets of `capacity` tokens, of which one comes back in each `interval`.
  RateTable(std::size_t keys, std::uint64_t capacity, std::uint64_t interval);

  // Takes `cost` tokens if there are as many. A cost above the capacity is never affordable.
  Outcome take(std::string_view key, std::uint64_t cost, std::uint64_t now) noexcept;
  // Gives tokens back that were taken, but not more than fill in `at_most` nanoseconds. Returns the tokens that are
  // there then.
  Outcome give_back(std::string_view key, std::uint64_t cost, std::uint64_t now,
                    std::uint64_t at_most = UINT64_MAX) noexcept;

  std::size_t places() const noexcept { return sets_.size() * places_per_set; }

private:
  static constexpr std::size_t places_per_set = 3;

  struct Place {
    std::uint64_t key = 0;
    std::uint64_t full_at = 0;
  };
  struct alignas(64) Set {
    std::atomic<bool> locked = false;
    Place places[places_per_set];
  };
  static_assert(sizeof(Set) == 64);
  class Locked;

  Outcome outcome(bool allowed, std::uint64_t full_in, std::uint64_t allowed_in) const noexcept;
  std::uint64_t hash(std::string_view key) const noexcept;

  std::vector<Set> sets_;
  const std::uint64_t capacity_;  // nanoseconds that fill an empty bucket
  const std::uint64_t interval_;
  const std::uint64_t seed_[2];
};

}  // namespace tern::web
