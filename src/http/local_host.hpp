// Hosts that the public DNS cannot make lead to another address.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern::http {

// Whether the host of a request (host [":" port]) is an IP address, "localhost" or a name below it, or a name without
// dots, which only this network can have. True for a request without a host: browsers send one. A page of the Internet
// that lets its own name lead to a loopback address (DNS rebinding) has none of these.
bool is_local_host(std::string_view host) noexcept;

// The same, quicker for the first few hosts that were asked for: the clients of a service name it by one or two of
// them. From any thread.
class LocalHosts {
public:
  static constexpr std::size_t max_known = 4;
  static constexpr std::size_t max_length = 63;

  bool contains(std::string_view host) noexcept {
    for (const Known& known : known_) {
      const std::size_t size = known.size.load(std::memory_order_acquire);
      if (size == 0) break;
      if (host == std::string_view(known.text.data(), size)) return true;
    }
    return examine(host);
  }

private:
  // Written once: by the thread that has taken its place, before the size.
  struct Known {
    std::atomic<std::uint8_t> size = 0;  // 0: not written
    std::array<char, max_length> text;
  };

  bool examine(std::string_view host) noexcept;

  std::array<Known, max_known> known_ = {};
  std::atomic<std::size_t> taken_ = 0;  // places of known_
};

}  // namespace tern::http
