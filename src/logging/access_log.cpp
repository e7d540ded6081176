#include "logging/access_log.hpp"

#include <tern/base/number.hpp>
#include <tern/json/write.hpp>

#include <chrono>

namespace tern::logging {
namespace {

// Inside of double quotes: quotes, backslashes, control and other bytes as Apache's httpd escapes them.
void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
    } else {
      out += c;
    }
  }
}

std::string_view version_text(Version version) {
  switch (version) {
    case Version::Http10: return "HTTP/1.0";
    case Version::Http11: return "HTTP/1.1";
    case Version::Http2: return "HTTP/2.0";
  }
  return {};
}

void append_quoted_field(std::string& out, const Request& request, std::string_view name) {
  out += " \"";
  if (const auto value = request.field(name)) {
    append_escaped(out, *value);
  } else {
    out += '-';
  }
  out += '"';
}

void append_text_line(std::string& out, bool combined, const AccessEntry& entry, const Request& request) {
  out.append(entry.remote).append(" - - [").append(entry.time).append("] \"");
  if (request.target().empty()) {  // the head did not form a request
    out += '-';
  } else {
    out.append(request.method_name()) += ' ';
    append_escaped(out, request.target());
    out.append(" ").append(version_text(request.version()));
  }
  out += "\" ";
  base::append_integer(out, code(entry.status));
  out += ' ';
  if (entry.bytes == 0) {
    out += '-';
  } else {
    base::append_integer(out, entry.bytes);
  }
  if (combined) {
    append_quoted_field(out, request, "referer");
    append_quoted_field(out, request, "user-agent");
  }
}

struct JsonLine {
  std::string_view time;
  std::string_view remote;
  std::string_view method;
  std::string_view target;
  std::string_view version;
  std::string_view route;
  int status;
  std::size_t bytes;
  std::uint64_t microseconds;
  std::string_view referer;
  std::string_view user_agent;
  std::string_view request_id;
};

}  // namespace

void append_log_time(std::string& out, std::int64_t unix_seconds) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  using namespace std::chrono;
  const sys_seconds time{seconds{unix_seconds}};
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  base::append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += '/';
  out += months.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3);
  out += '/';
  base::append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out += ':';
  base::append_padded(out, static_cast<unsigned>(clock.hours().count()), 2);
  out += ':';
  base::append_padded(out, static_cast<unsigned>(clock.minutes().count()), 2);
  out += ':';
  base::append_padded(out, static_cast<unsigned>(clock.seconds().count()), 2);
  out += " +0000";
}

void append_access_line(std::string& out, AccessLog format, const AccessEntry& entry, const Request& request) {
  if (format == AccessLog::Json) {
    const bool known = !request.target().empty();
    json::write(
        out, JsonLine{entry.time, entry.remote, known ? request.method_name() : std::string_view(), request.target(),
                      known ? version_text(request.version()) : std::string_view(), request.route(), code(entry.status),
                      entry.bytes, entry.microseconds, request.field("referer").value_or(std::string_view()),
                      request.field("user-agent").value_or(std::string_view()), request.id()});
  } else {
    append_text_line(out, format == AccessLog::Combined, entry, request);
  }
  out += '\n';
}

}  // namespace tern::logging
