// Message framing and connection options of a request (RFC 9112, sections 3.2, 6 and 9), collected field by field.
#pragma once

#include "http1/fault.hpp"

#include <tern/http/method.hpp>
#include <tern/http/version.hpp>

#include <cstdint>
#include <string_view>

namespace tern::http1 {

struct Framing {
  enum Flag : std::uint16_t {
    HasHost = 1U << 0U,
    HasLength = 1U << 1U,
    Chunked = 1U << 2U,
    Close = 1U << 3U,          // Connection: close
    KeepAlive = 1U << 4U,      // Connection: keep-alive
    UpgradeOption = 1U << 5U,  // Connection: upgrade
    HasUpgrade = 1U << 6U,     // Upgrade: something
    Continue = 1U << 7U,       // Expect: 100-continue, on HTTP/1.1
  };

  std::uint64_t length = 0;  // with HasLength
  std::uint16_t flags = 0;
  Method method = Method::Get;
  Version version = Version::Http11;

  bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
  void set(Flag flag) noexcept { flags = static_cast<std::uint16_t>(flags | flag); }
  void unset(Flag flag) noexcept { flags = static_cast<std::uint16_t>(flags & ~flag); }

  bool has_content() const noexcept { return has(Chunked) || (has(HasLength) && length != 0); }
  // RFC 9112, section 9.3.
  bool keep_alive() const noexcept { return !has(Close) && (version == Version::Http11 || has(KeepAlive)); }
  bool upgrade_requested() const noexcept {
    return version == Version::Http11 && has(HasUpgrade) && has(UpgradeOption);
  }

  // Adds one field. Most names are dismissed by their length.
  Fault add_field(std::string_view name, std::string_view value) noexcept {
    constexpr std::uint32_t sizes = 1U << 4U | 1U << 6U | 1U << 7U | 1U << 10U | 1U << 14U | 1U << 17U;
    const bool maybe = name.size() < 32 && (sizes >> name.size() & 1U) != 0;
    return maybe ? add_framing_field(name, value) : Fault::None;
  }
  // Checks that are possible only at the end of the head.
  Fault validate() const noexcept;

private:
  Fault add_framing_field(std::string_view name, std::string_view value) noexcept;
};

}  // namespace tern::http1
