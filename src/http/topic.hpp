// Topics and filters, as in MQTT 5 (section 4.7):
//
//   topic  = level *( "/" level )
//   filter = level *( "/" level )     a level "+" matches any one level; a last level "#" matches all levels that are
//                                     left, and also none
//
// What a WebSocket subscribes to is either a literal topic or a filter; what is published has a topic without
// wildcards.
#pragma once

#include <tern/http/bus.hpp>

#include <cstddef>
#include <string_view>

namespace tern::http {

constexpr std::size_t max_topic_bytes = 1024;
constexpr std::size_t max_filter_levels = 64;

inline bool has_wildcard_characters(std::string_view text) noexcept {
  return text.find_first_of("+#") != text.npos;
}

// What is subscribed to. In a literal, '+' and '#' stand for themselves.
struct TopicFilter {
  std::string_view text;
  bool has_wildcards = false;

  bool operator==(const TopicFilter&) const = default;
};

// Removes the first level from `rest`; sets `ended` when it was the last.
std::string_view take_level(std::string_view& rest, bool& ended) noexcept;
// Wildcards are alone in their levels, "#" is in the last; 1 to max_topic_bytes, at most max_filter_levels.
bool is_filter(std::string_view text) noexcept;

// Views of the text. Throw std::invalid_argument, which says why, where it is no topic or no filter.
TopicFilter literal_filter(std::string_view topic);
TopicFilter parse_filter(std::string_view filter);
// Throws std::invalid_argument unless it has a topic that can be published to, and its text is UTF-8.
void check_publication(const Publication& publication);

}  // namespace tern::http
