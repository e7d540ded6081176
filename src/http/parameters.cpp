#include "http/parameters.hpp"

#include <tern/base/ascii.hpp>

#include <cstddef>

namespace tern::multipart {
namespace {

void skip_blanks(std::string_view& text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

}  // namespace

std::string_view take_token(std::string_view& text) noexcept {
  std::size_t length = 0;
  while (length < text.size() && base::is_token_char(text[length])) ++length;
  const std::string_view token = text.substr(0, length);
  text.remove_prefix(length);
  return token;
}

std::string_view take_media_type(std::string_view& text) noexcept {
  const std::string_view whole = text;
  if (take_token(text).empty() || !text.starts_with('/')) return {};
  text.remove_prefix(1);
  if (take_token(text).empty()) return {};
  return whole.substr(0, whole.size() - text.size());
}

bool ParameterReader::next(Parameter& parameter) noexcept {
  while (!rest_.empty()) {
    skip_blanks(rest_);
    if (!rest_.starts_with(';')) return fail();
    rest_.remove_prefix(1);
    skip_blanks(rest_);
    if (!rest_.empty() && rest_.front() != ';') return read(parameter);
  }
  return false;
}

bool ParameterReader::read(Parameter& parameter) noexcept {
  parameter.name = take_token(rest_);
  if (parameter.name.empty() || !rest_.starts_with('=')) return fail();
  rest_.remove_prefix(1);
  parameter.quoted = rest_.starts_with('"');
  if (parameter.quoted) return read_quoted(parameter);
  parameter.value = take_token(rest_);
  return !parameter.value.empty() || fail();
}

bool ParameterReader::read_quoted(Parameter& parameter) noexcept {
  std::size_t at = 1;
  while (at < rest_.size() && rest_[at] != '"') {
    if (is_control(rest_[at])) return fail();
    const bool escape = rest_[at] == '\\' && at + 1 < rest_.size() && (rest_[at + 1] == '"' || rest_[at + 1] == '\\');
    at += escape ? 2 : 1;
  }
  if (at >= rest_.size()) return fail();
  parameter.value = rest_.substr(1, at - 1);
  rest_.remove_prefix(at + 1);
  return true;
}

bool ParameterReader::fail() noexcept {
  rest_ = {};
  malformed_ = true;
  return false;
}

}  // namespace tern::multipart
