// Request methods: RFC 9110, section 9; QUERY (RFC 10008); and WebDAV methods of RFC 4918 and 3253.
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
  Extension,  // any other: see RequestHead::extension_method
};

inline constexpr std::size_t method_count = 22;  // without Extension

// The method's token; empty for Extension. Methods are case-sensitive.
std::string_view method_name(Method method) noexcept;

// The method with that token; unset if there is no enumerator for it.
std::optional<Method> parse_method(std::string_view token) noexcept;

}  // namespace tern
