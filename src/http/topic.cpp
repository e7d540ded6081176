#include "http/topic.hpp"

#include <tern/base/utf8.hpp>
#include <tern/http/websocket.hpp>

#include <stdexcept>
#include <string>

namespace tern {
namespace http {
namespace {

constexpr std::size_t max_quoted_bytes = 100;

[[noreturn]] void refuse(std::string_view what, std::string_view text) {
  std::string message = "tern: " + std::string(what) + ": \"" + std::string(text.substr(0, max_quoted_bytes));
  message += text.size() > max_quoted_bytes ? "\"..." : "\"";
  throw std::invalid_argument(message);
}

bool has_topic_size(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_topic_bytes;
}

}  // namespace

std::string_view take_level(std::string_view& rest, bool& ended) noexcept {
  const std::size_t slash = rest.find('/');
  const std::string_view level = rest.substr(0, slash);
  ended = slash == std::string_view::npos;
  rest.remove_prefix(ended ? rest.size() : slash + 1);
  return level;
}

bool is_filter(std::string_view text) noexcept {
  if (!has_topic_size(text)) return false;
  std::size_t levels = 0;
  for (bool ended = false; !ended;) {
    const std::string_view level = take_level(text, ended);
    if (++levels > max_filter_levels) return false;
    if (has_wildcard_characters(level) && level.size() != 1) return false;
    if (level == "#" && !ended) return false;
  }
  return true;
}

TopicFilter literal_filter(std::string_view topic) {
  if (!has_topic_size(topic)) refuse("a topic has 1 to 1024 bytes", topic);
  return {topic, false};
}

TopicFilter parse_filter(std::string_view filter) {
  if (!is_filter(filter)) {
    refuse("a topic filter has 1 to 1024 bytes in at most 64 levels; '+' is a level of its own, and '#' the last",
           filter);
  }
  return {filter, has_wildcard_characters(filter)};
}

void check_publication(const Publication& publication) {
  if (!is_topic(publication.topic)) {
    refuse("a topic to publish to has 1 to 1024 bytes, without the wildcards '+' and '#'", publication.topic);
  }
  if (publication.is_text && !base::is_utf8(publication.content)) {
    throw std::invalid_argument("tern: text to publish is UTF-8; use publish_binary() for other bytes");
  }
}

}  // namespace http

bool is_topic(std::string_view text) noexcept {
  return http::has_topic_size(text) && !http::has_wildcard_characters(text);
}

}  // namespace tern
