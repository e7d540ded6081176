// What session tickets are sealed with (RFC 5077, section 4; RFC 8446, section 4.6.1): so that any loop can resume what
// another one began, and so that a key that leaks opens the tickets of a few hours only.
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
  // As many as the hours for which a session may be resumed, and one, where rotate() is called every hour.
  static constexpr std::size_t count = 3;

  // Throws std::runtime_error when there is no randomness; so does rotate(), and nothing has changed then.
  TicketKeys();
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  // A new key seals from now on; the oldest opens nothing any more.
  void rotate();

  TicketKey current() const;
  std::optional<TicketKey> find(const unsigned char* name) const;

private:
  mutable std::mutex mutex_;
  std::array<TicketKey, count> keys_;  // newest first
};

}  // namespace tern::tls
