// The nodes of a document that readers refer to.
#pragma once

#include <simdjson.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <tern/json/reader.hpp>

namespace tern::json::detail {

static_assert(sizeof(Node) == sizeof(simdjson::dom::element) && std::is_trivially_copyable_v<simdjson::dom::element>);

inline simdjson::dom::element element_of(Node node) {
  return std::bit_cast<simdjson::dom::element>(node);
}
inline Node node_of(simdjson::dom::element element) {
  return std::bit_cast<Node>(element);
}

// Whether the value is an integer that is written with a fraction or an exponent, such as 1.0 (JSON Schema, core,
// section 4.2.1). False from 2^53 on, where the fraction may have been lost.
bool is_whole(simdjson::dom::element element, std::int64_t& out);

// Marks readers of members, which have a name instead.
constexpr std::size_t no_index = static_cast<std::size_t>(-1);

// Appends "/name" with the escapes of RFC 6901, section 3. A name beyond 256 bytes is cut, with an ellipsis.
void append_pointer(std::string& path, std::string_view name);

}  // namespace tern::json::detail
