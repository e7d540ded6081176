#include "web/rate_table.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <cstring>

namespace tern::web {
namespace {

constexpr std::uint64_t rotated(std::uint64_t value, unsigned bits) noexcept {
  return value << bits | value >> (64 - bits);
}

// SipHash-1-3 (Aumasson and Bernstein, 2012): clients choose keys, and must not be able to choose their set.
struct SipHash {
  std::uint64_t v0, v1, v2, v3;

  SipHash(std::uint64_t k0, std::uint64_t k1) noexcept
      : v0(k0 ^ 0x736f6d6570736575),
        v1(k1 ^ 0x646f72616e646f6d),
        v2(k0 ^ 0x6c7967656e657261),
        v3(k1 ^ 0x7465646279746573) {}

  void round() noexcept {
    v0 += v1;
    v1 = rotated(v1, 13) ^ v0;
    v0 = rotated(v0, 32);
    v2 += v3;
    v3 = rotated(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotated(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotated(v1, 17) ^ v2;
    v2 = rotated(v2, 32);
  }
  void add(std::uint64_t word) noexcept {
    v3 ^= word;
    round();
    v0 ^= word;
  }
  std::uint64_t finish() noexcept {
    v2 ^= 0xFF;
    for (int i = 0; i < 3; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

// Holds the lock of a set. Its holders run a few dozen instructions.
class RateTable::Locked {
public:
  explicit Locked(Set& set) noexcept : set_(set) {
    while (set_.locked.exchange(true, std::memory_order_acquire)) {
      set_.locked.wait(true, std::memory_order_relaxed);
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    set_.locked.store(false, std::memory_order_release);
    set_.locked.notify_one();
  }

private:
  Set& set_;
};

RateTable::RateTable(std::size_t keys, std::uint64_t capacity, std::uint64_t interval)
    : sets_((keys + places_per_set - 1) / places_per_set),
      capacity_(capacity * interval),
      interval_(interval),
      seed_{base::random_number(), base::random_number()} {}

RateTable::Outcome RateTable::outcome(bool allowed, std::uint64_t full_in, std::uint64_t allowed_in) const noexcept {
  return {allowed, (capacity_ - std::min(full_in, capacity_)) / interval_, full_in, allowed_in};
}

RateTable::Outcome RateTable::take(std::string_view key, std::uint64_t cost, std::uint64_t now) noexcept {
  const std::uint64_t hashed = hash(key);
  Set& set = sets_[hashed % sets_.size()];
  const Locked lock(set);
  Place* place = std::ranges::find(set.places, hashed, &Place::key);
  const bool known = place != std::end(set.places);
  const std::uint64_t full_in = known && place->full_at > now ? place->full_at - now : 0;
  const std::uint64_t after = full_in + std::min(cost, capacity_ / interval_ + 1) * interval_;
  if (after > capacity_) return outcome(false, full_in, after - capacity_);
  if (!known) place = std::ranges::min_element(set.places, {}, &Place::full_at);
  *place = {hashed, now + after};
  return outcome(true, after, 0);
}

RateTable::Outcome RateTable::give_back(std::string_view key, std::uint64_t cost, std::uint64_t now,
                                        std::uint64_t at_most) noexcept {
  const std::uint64_t hashed = hash(key);
  Set& set = sets_[hashed % sets_.size()];
  const Locked lock(set);
  Place* place = std::ranges::find(set.places, hashed, &Place::key);
  if (place == std::end(set.places)) return outcome(true, 0, 0);
  place->full_at -= std::min({place->full_at, cost * interval_, at_most});
  return outcome(true, place->full_at > now ? place->full_at - now : 0, 0);
}

std::uint64_t RateTable::hash(std::string_view key) const noexcept {
  SipHash sip(seed_[0], seed_[1]);
  const std::uint64_t last = static_cast<std::uint64_t>(key.size()) << 56U;
  for (; key.size() >= 8; key.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, key.data(), 8);
    sip.add(word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, key.data(), key.size());
  sip.add(word | last);
  return std::max<std::uint64_t>(sip.finish(), 1);  // 0 is a place that was never used
}

}  // namespace tern::web
