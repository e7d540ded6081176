// What all readers of one document share.
#pragma once

#include <simdjson.h>

#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

#include <tern/json/reader.hpp>

namespace tern::json::detail {

struct ReadState {
  const Limits& limits;
  Error& error;

  bool full() const { return error.problems.size() >= limits.problems && !error.problems.empty(); }
  void add(std::string path, std::string_view message, std::string_view code, std::string expected = {}) {
    if (full()) return;
    error.problems.push_back({std::move(path), std::string(message), std::string(code), std::move(expected)});
  }
};

static_assert(sizeof(Node) == sizeof(simdjson::dom::element) && std::is_trivially_copyable_v<simdjson::dom::element>);

inline simdjson::dom::element element_of(Node node) {
  return std::bit_cast<simdjson::dom::element>(node);
}
inline Node node_of(simdjson::dom::element element) {
  return std::bit_cast<Node>(element);
}

// Marks readers of members, which have a name instead.
constexpr std::size_t no_index = static_cast<std::size_t>(-1);

// Appends "/name" with the escapes of RFC 6901, section 3. A name beyond 256 bytes is cut, with an ellipsis.
void append_pointer(std::string& path, std::string_view name);

}  // namespace tern::json::detail
