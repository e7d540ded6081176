// Topics and filters, as in MQTT 5 (section 4.7):
//
//   topic  = level *( "/" level )
//   filter = level *( "/" level )     a level "+" matches any one level; a last level "#" matches all remaining levels,
//                                     also none
//
// Subscriptions are to a literal topic or to a filter; publications have a topic without wildcards.
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

// The target of a subscription. In a literal topic, '+' and '#' have no special meaning.
struct TopicFilter {
  std::string_view text;
  bool has_wildcards = false;

  bool operator==(const TopicFilter&) const = default;
};

// Takes the first level of `rest`; sets `ended` if it was the last.
std::string_view take_level(std::string_view& rest, bool& ended) noexcept;
// Wildcards must be whole levels, "#" the last one; 1 to max_topic_bytes, at most max_filter_levels.
bool is_filter(std::string_view text) noexcept;

// Views of the text. Throw std::invalid_argument with the reason if it is not a topic or a filter.
TopicFilter literal_filter(std::string_view topic);
TopicFilter parse_filter(std::string_view filter);
// Throws std::invalid_argument unless the topic is valid for publications, and the text is UTF-8.
void check_publication(const Publication& publication);

}  // namespace tern::http
