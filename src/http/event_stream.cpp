#include <tern/http/event_stream.hpp>

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

// A line of data for each line of the text; CR, LF and CRLF all end one.
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
