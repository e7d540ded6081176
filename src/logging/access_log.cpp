#include "logging/access_log.hpp"

#include "http/log_line.hpp"
#include "json/plain_text.hpp"
#include "logging/printable.hpp"

#include <tern/base/number.hpp>
#include <tern/json/writer.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <utility>

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

// What a line has, in this order.
struct Values {
  Values(const AccessEntry& entry, const Request& request, std::string_view target, std::string_view referer)
      : members{{{"time", entry.time},
                 {"remote", entry.remote},
                 {"method", {}},
                 {"target", target},
                 {"version", {}},
                 {"route", request.route()},
                 {"status", {}, false},
                 {"bytes", {}, false},
                 {"microseconds", {}, false},
                 {"referer", referer},
                 {"user_agent", request.field("user-agent").value_or(std::string_view())},
                 {"request_id", request.id()},
                 {"trace_id", request.trace_id()}}} {
    if (!request.target().empty()) {  // otherwise, the head did not form a request
      members[2].value = request.method_name();
      members[4].value = version_text(request.version());
    }
    char* free = digits.data();
    for (auto [place, number] :
         {std::pair<std::size_t, std::uint64_t>(6, code(entry.status)), {7, entry.bytes}, {8, entry.microseconds}}) {
      const auto result = std::to_chars(free, digits.data() + digits.size(), number);
      members[place].value = {free, result.ptr};
      free = result.ptr;
    }
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  struct Member {
    std::string_view name;
    std::string_view value;
    bool is_text = true;
  };
  std::array<Member, 13> members;
  std::array<char, 64> digits;  // of its numbers
};

void append_logfmt_line(std::string& out, const Values& values) {
  std::string all;
  for (const Values::Member& member : values.members) {
    if (member.value.empty()) continue;
    if (member.is_text) {
      LogField(member.name, member.value).append_to(all);
    } else {
      all.append(" ").append(member.name).append("=").append(member.value);
    }
  }
  append_printable(out, std::string_view(all).substr(1));
}

char* copied(std::string_view text, char* to) {
  return to + text.copy(to, text.size());
}

// An object. Values that need no escapes, which is the usual case, are put together in one step.
void append_json_line(std::string& out, const Values& values) {
  std::size_t size = 1;
  bool is_plain = true;
  for (const Values::Member& member : values.members) {
    size += member.name.size() + member.value.size() + 6;  // a comma or brace, four quotes, a colon
    is_plain = is_plain && json::is_plain(member.value);
  }
  if (is_plain) {
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + size, [&](char* bytes, std::size_t) {
      char* to = bytes + before;
      char separator = '{';
      for (const Values::Member& member : values.members) {
        *to++ = std::exchange(separator, ',');
        *to++ = '"';
        to = copied(member.name, to);
        *to++ = '"';
        *to++ = ':';
        if (member.is_text) *to++ = '"';
        to = copied(member.value, to);
        if (member.is_text) *to++ = '"';
      }
      *to++ = '}';
      return static_cast<std::size_t>(to - bytes);
    });
    return;
  }
  json::Writer writer(out);
  writer.begin_object();
  for (const Values::Member& member : values.members) {
    writer.key(member.name);
    member.is_text ? writer.text(member.value) : writer.raw(member.value);
  }
  writer.end_object();
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
    const Values values(entry, request, target, referer);
    format == AccessLog::Json ? append_json_line(out, values) : append_logfmt_line(out, values);
  } else {
    append_text_line(out, format == AccessLog::Combined, entry, request, target, referer);
  }
  out += '\n';
}

}  // namespace tern::logging
