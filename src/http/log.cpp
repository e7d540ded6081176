#include <tern/http/log.hpp>

#include <tern/base/number.hpp>

#include <algorithm>

namespace tern {
namespace {

// What stands without quotes: visible ASCII but for quotes, '=' and '\'.
bool is_word(std::string_view text) noexcept {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '=' && c != '\\'; });
}

// Control characters are left to the log.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

void LogField::append_to(std::string& line) const {
  line.append(" ").append(name_).append("=");
  switch (kind_) {
    case Kind::Word: line += text_; break;
    case Kind::Text: is_word(text_) ? void(line += text_) : append_quoted(line, text_); break;
    case Kind::Signed: base::append_integer(line, signed_); break;
    case Kind::Unsigned: base::append_integer(line, unsigned_); break;
    case Kind::Real: base::append_number(line, real_); break;
  }
}

std::string http::log_line(std::string_view text, LogFields fields) {
  std::string line(text);
  for (const LogField& field : fields) field.append_to(line);
  return line;
}

}  // namespace tern
