// Lines of the error log as text. A line has no time and level yet: the log adds them.
#pragma once

#include <tern/http/log.hpp>
#include <tern/http/log_options.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tern::http {

struct LogStyle {
  LogFormat format = LogFormat::Text;
  std::span<const std::string> secrets = {};  // beside those that is_secret() knows
};

// Text:    [part] GET /books/{id}: text name=value request_id=… trace_id=…
// Logfmt:  part=app msg=text method=GET route=/books/{id} name=value request_id=… trace_id=…
// Json:    the same members, without the braces of the object
struct RenderedLine {
  std::string text;
  std::size_t ids = 0;  // where the ids begin, which make repeated lines different
};

RenderedLine render(const LogLine& line, const LogStyle& style);

// Whether the value of a field with this name must not be logged.
bool is_secret(std::string_view name, std::span<const std::string> more) noexcept;

}  // namespace tern::http
