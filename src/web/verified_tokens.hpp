// Tokens whose signatures were verified: verifying one again costs a hash in place of tens of microseconds.
#pragma once

#include <tern/base/box.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tern::web {

// Remembers the SHA-256 of a bounded number of tokens; others take the place of the oldest. It says nothing of their
// claims, such as their times, which are checked each time. Thread-safe: while another thread has the place of a
// token, it is not known.
class VerifiedTokens {
public:
  using Digest = std::array<std::uint8_t, 32>;

  // A copy is empty.
  VerifiedTokens() : sets_(set_count) {}
  VerifiedTokens(const VerifiedTokens&) : VerifiedTokens() {}
  VerifiedTokens& operator=(const VerifiedTokens&) = delete;

  // The digest of a token, for the other two.
  static Digest digest_of(std::string_view token);

  bool has(const Digest& digest) noexcept;
  void add(const Digest& digest) noexcept;

  static constexpr std::size_t capacity() noexcept { return set_count * places_per_set; }

private:
  static constexpr std::size_t set_count = 1024;
  static constexpr std::size_t places_per_set = 3;

  struct alignas(64) Set {
    std::atomic<bool> locked = false;
    std::uint8_t used = 0;
    std::uint8_t oldest = 0;
    std::array<Digest, places_per_set> digests;
  };
  class Locked;

  Set& set_of(const Digest& digest) noexcept;

  std::vector<Set> sets_;
};

}  // namespace tern::web
