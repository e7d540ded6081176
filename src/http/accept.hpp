// Media types by preference of the client (RFC 9110, section 12.5.1).
#pragma once

#include <tern/http/request_head.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace tern::http {

inline constexpr std::size_t no_type = static_cast<std::size_t>(-1);

// The index of the type among the offered ones that the Accept fields prefer: the first of equals, and the first of all
// without such fields. no_type if the client accepts none of them, or none is offered.
std::size_t preferred_type(const RequestFields& fields, std::span<const std::string_view> offered) noexcept;

}  // namespace tern::http
