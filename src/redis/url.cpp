// URLs of Redis, as clients of other languages and cloud providers write them ("Redis URI scheme" at IANA):
//
//   url = ( "redis" / "rediss" ) "://" [ [ user ] [ ":" password ] "@" ] host [ ":" port ] [ "/" [ database ] ]
//
// A password without a user, "redis://:secret@host", is that of the default user.
#include <tern/base/number.hpp>
#include <tern/redis/options.hpp>

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tern {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw std::invalid_argument(std::string("a URL of Redis: ") + why);
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const std::string_view digits = text.substr(at + 1, 2);
    unsigned byte = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || result.ptr != digits.data() + 2) refuse("'%' is followed by two hexadecimal digits");
    decoded += static_cast<char>(byte);
    at += 2;
  }
  return decoded;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void read_host(std::string_view text, RedisOptions& options) {
  std::size_t end = text.find(':');
  if (take_prefix(text, "[")) {
    end = text.find(']');
    if (end == text.npos) refuse("a '[' is not closed");
    options.host = text.substr(0, end);
    text.remove_prefix(end + 1);
    end = 0;
    if (!text.empty() && text.front() != ':') refuse("behind the host there is a port, or nothing");
  } else {
    options.host = text.substr(0, end);
  }
  if (options.host.empty()) refuse("there is no host");
  if (end == text.npos || end == text.size()) return;
  const auto port = base::parse_integer<std::uint16_t>(text.substr(end + 1));
  if (!port || *port == 0) refuse("the port is no number from 1 to 65535");
  options.port = *port;
}

}  // namespace

RedisOptions RedisOptions::from_url(std::string_view url) {
  RedisOptions options;
  options.tls.enabled = take_prefix(url, "rediss://");
  if (!options.tls.enabled && !take_prefix(url, "redis://")) refuse("it begins with redis:// or rediss://");
  if (url.find_first_of("?#") != url.npos) refuse("it has no parameters");
  const std::size_t slash = url.find('/');
  const std::string_view path = slash == url.npos ? std::string_view() : url.substr(slash + 1);
  std::string_view authority = url.substr(0, slash);
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = user.find(':');
    options.username = percent_decoded(user.substr(0, colon));
    if (colon != user.npos) options.password = percent_decoded(user.substr(colon + 1));
    authority.remove_prefix(at + 1);
  }
  read_host(authority, options);
  if (path.empty()) return options;
  const auto database = base::parse_integer<unsigned>(path);
  if (!database) refuse("the database is no number");
  options.database = *database;
  return options;
}

}  // namespace tern
