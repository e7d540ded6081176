// Request methods (RFC 9110, section 9; QUERY of RFC 10008; the registry's WebDAV methods of RFC 4918 and 3253 that
// servers meet).
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
  Query,
  Extension,  // another: RequestHead::extension_method has its token
};

inline constexpr std::size_t method_count = 22;  // without Extension

// The method's token, as it stands in a request line; empty for Extension. Methods are case-sensitive.
std::string_view method_name(Method method) noexcept;

// The method of that name; nothing when it is none of those with a name of their own.
std::optional<Method> parse_method(std::string_view token) noexcept;

}  // namespace tern
