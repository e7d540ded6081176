#include "logging/access_log.hpp"

#include "http/log_line.hpp"
#include "logging/printable.hpp"

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

void append_quoted(std::string& out, std::string_view value) {
  out += " \"";
  append_escaped(out, value.empty() ? "-" : value);
  out += '"';
}

void append_text_line(std::string& out, bool combined, const AccessEntry& entry, const Request& request,
                      std::string_view target, std::string_view referer) {
  out.append(entry.remote).append(" - - [").append(entry.time).append("] \"");
  if (request.target().empty()) {  // the head did not form a request
    out += '-';
  } else {
    out.append(request.method_name()) += ' ';
    append_escaped(out, target);
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
    append_quoted(out, referer);
    append_quoted(out, request.field("user-agent").value_or(std::string_view()));
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
  std::string_view trace_id;
};

void append_logfmt_line(std::string& out, const JsonLine& line) {
  std::string all;
  const auto add = [&all](const LogField& field) { field.append_to(all); };
  const auto add_text = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) add({name, value});
  };
  add_text("time", line.time);
  add_text("remote", line.remote);
  add_text("method", line.method);
  add_text("target", line.target);
  add_text("version", line.version);
  add_text("route", line.route);
  add({"status", line.status});
  add({"bytes", line.bytes});
  add({"microseconds", line.microseconds});
  add_text("referer", line.referer);
  add_text("user_agent", line.user_agent);
  add_text("request_id", line.request_id);
  add_text("trace_id", line.trace_id);
  append_printable(out, std::string_view(all).substr(1));
}

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

std::optional<std::string> redacted_target(std::string_view target, std::span<const std::string> secrets) {
  std::size_t at = target.find('?');
  if (at == std::string_view::npos) return std::nullopt;
  bool any = false;
  std::string shown(target.substr(0, ++at));
  while (at < target.size()) {
    const std::string_view pair = target.substr(at, target.find('&', at) - at);
    at += pair.size();
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && http::is_secret(pair.substr(0, equals), secrets)) {
      shown.append(pair.substr(0, equals)).append("=[redacted]");
      any = true;
    } else {
      shown.append(pair);
    }
    if (at < target.size()) shown += target[at++];
  }
  return any ? std::optional(std::move(shown)) : std::nullopt;
}

void append_access_line(std::string& out, AccessLog format, const AccessEntry& entry, const Request& request,
                        std::span<const std::string> secrets) {
  const auto redacted = redacted_target(request.target(), secrets);
  const std::string_view target = redacted ? std::string_view(*redacted) : request.target();
  std::string_view referer = request.field("referer").value_or(std::string_view());
  const auto redacted_referer = redacted_target(referer, secrets);
  if (redacted_referer) referer = *redacted_referer;
  if (format == AccessLog::Json || format == AccessLog::Logfmt) {
    const bool known = !request.target().empty();
    const JsonLine line{entry.time,
                        entry.remote,
                        known ? request.method_name() : std::string_view(),
                        target,
                        known ? version_text(request.version()) : std::string_view(),
                        request.route(),
                        code(entry.status),
                        entry.bytes,
                        entry.microseconds,
                        referer,
                        request.field("user-agent").value_or(std::string_view()),
                        request.id(),
                        request.trace_id()};
    format == AccessLog::Json ? json::write(out, line) : append_logfmt_line(out, line);
  } else {
    append_text_line(out, format == AccessLog::Combined, entry, request, target, referer);
  }
  out += '\n';
}

}  // namespace tern::logging
