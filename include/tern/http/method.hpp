// Request methods (RFC 9110, section 9; the registry's WebDAV methods of RFC 4918 and 3253 that servers meet).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tern {

enum class Method : std::uint8_t {
  Get,
  Head,
  Post,
  Put,
  Delete,
  Connect,
  Options,
  Trace,
  Patch,
  Copy,
  Link,
  Lock,
  MkCol,
  Move,
  PropFind,
  PropPatch,
  Purge,
  Report,
  Search,
  Unlink,
  Unlock,
};

inline constexpr std::size_t method_count = 21;

// The method's token, as it stands in a request line. Methods are case-sensitive.
std::string_view method_name(Method method) noexcept;

// The method of that name; nothing when Tern does not know it (501).
std::optional<Method> parse_method(std::string_view token) noexcept;

}  // namespace tern
