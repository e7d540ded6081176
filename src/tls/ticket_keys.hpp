// The keys that encrypt session tickets (RFC 5077, section 4; RFC 8446, section 4.6.1). All loops share them, so that
// each can resume sessions of the others; they rotate, so that a leaked key decrypts the tickets of a few hours only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace tern::tls {

struct TicketKey {
  std::array<unsigned char, 16> name;
  std::array<unsigned char, 32> cipher;
  std::array<unsigned char, 32> mac;
};

// Safe from all threads.
class TicketKeys {
public:
  // The hours for which a session can be resumed, plus one, given that rotate() is called every hour.
  static constexpr std::size_t count = 3;

  // Throws std::runtime_error if there is no randomness; so does rotate(), without effect.
  TicketKeys();
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  // Encrypts with a new key from now on; discards the oldest.
  void rotate();

  TicketKey current() const;
  std::optional<TicketKey> find(const unsigned char* name) const;

private:
  mutable std::mutex mutex_;
  std::array<TicketKey, count> keys_;  // newest first
};

}  // namespace tern::tls
