#include <tern/http/event_stream.hpp>

#include "http/stream_topics.hpp"

#include <tern/base/number.hpp>

#include <stdexcept>

namespace tern {
namespace {

void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
    throw std::invalid_argument("the " + std::string(name) + " of an event has a line break or NUL");
  }
  out.append(name).append(": ").append(value).append("\n");
}

// Writes one data line for each line of the text; CR, LF and CRLF end a line.
void append_data(std::string& out, std::string_view data) {
  while (true) {
    const std::size_t end = data.find_first_of("\r\n");
    out.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return;
    const bool both = data.substr(end, 2) == "\r\n";
    data.remove_prefix(end + (both ? 2 : 1));
  }
}

}  // namespace

base::Box<http::TopicSubscriptions> Writer::topic_subscriptions(http::StreamTopics&) {
  throw std::logic_error("there are no topics here: event streams subscribe while an app runs");
}

EventStream::EventStream(Writer& writer, const EventStreamOptions& options) noexcept
    : writer_(writer), options_(options) {}
EventStream::~EventStream() = default;

http::StreamTopics& EventStream::topics() {
  if (!topics_) {
    topics_ =
        base::make_box<http::StreamTopics>(writer_, options_.max_queued_bytes, options_.when_full == WhenFull::Close);
  }
  return *topics_;
}

void EventStream::subscribe(std::string_view topic) {
  topics().subscriptions().subscribe(http::literal_filter(topic));
}

void EventStream::unsubscribe(std::string_view topic) {
  topics().subscriptions().unsubscribe(http::literal_filter(topic));
}

void EventStream::subscribe_filter(std::string_view filter) {
  topics().subscriptions().subscribe(http::parse_filter(filter));
}

void EventStream::unsubscribe_filter(std::string_view filter) {
  topics().subscriptions().unsubscribe(http::parse_filter(filter));
}

Task<std::optional<Published>> EventStream::receive() {
  return topics().receive();
}

Writer::Written EventStream::send(const ServerEvent& event) {
  std::string text;
  text.reserve(event.data.size() + 32);
  if (!event.event.empty()) append_field(text, "event", event.event);
  if (!event.id.empty()) append_field(text, "id", event.id);
  if (event.retry) {
    text += "retry: ";
    base::append_number(text, static_cast<long long>(event.retry->count()));
    text += '\n';
  }
  append_data(text, event.data);
  text += '\n';
  return writer_.write(text);
}

}  // namespace tern
