#include "web/verified_tokens.hpp"

#include "web/digest.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace tern::web {

// Does not wait.
class VerifiedTokens::Locked {
public:
  explicit Locked(Set& set) noexcept : set_(set), owns_(!set.locked.exchange(true, std::memory_order_acquire)) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (owns_) set_.locked.store(false, std::memory_order_release);
  }
  bool owns() const noexcept { return owns_; }

private:
  Set& set_;
  const bool owns_;
};

VerifiedTokens::Digest VerifiedTokens::digest_of(std::string_view token) {
  const std::string hash = sha256({token});
  Digest digest{};
  std::memcpy(digest.data(), hash.data(), digest.size());
  return digest;
}

VerifiedTokens::Set& VerifiedTokens::set_of(const Digest& digest) noexcept {
  return sets_[(std::size_t{digest[0]} << 8U | digest[1]) % set_count];
}

bool VerifiedTokens::has(const Digest& digest) noexcept {
  Set& set = set_of(digest);
  const Locked lock(set);
  if (!lock.owns()) return false;
  return std::any_of(set.digests.begin(), set.digests.begin() + set.used, [&digest](const Digest& each) {
    return CRYPTO_memcmp(each.data(), digest.data(), digest.size()) == 0;
  });
}

void VerifiedTokens::add(const Digest& digest) noexcept {
  Set& set = set_of(digest);
  const Locked lock(set);
  if (!lock.owns()) return;
  if (set.used < places_per_set) {
    set.digests[set.used++] = digest;
    return;
  }
  set.digests[set.oldest] = digest;
  set.oldest = static_cast<std::uint8_t>((set.oldest + 1) % places_per_set);
}

}  // namespace tern::web
