// The keys of stored responses.
#pragma once

#include <tern/http/request.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tern::web {

inline constexpr std::size_t max_key_bytes = 8 * 1024;  // requests with a longer one are not cached

// Everything that selects the response but the fields of the request. Parts are separated by line feeds, which no part
// contains.
std::string primary_key(const Request& request);

// Appends the values of the fields with these names: Accept-Encoding by the codings that it accepts, others as they
// were sent. A field that is missing differs from an empty one.
void append_field_values(std::string& key, const Request& request, std::span<const std::string> fields);

}  // namespace tern::web
