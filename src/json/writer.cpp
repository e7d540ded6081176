#include <tern/json/writer.hpp>

#include "json/plain_text.hpp"

#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <tern/base/number.hpp>

namespace tern::json {

namespace {

// The length of the longest beginning of `text` that can be copied as it is.
std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      if (const std::uint64_t found = special_bytes(word))
        return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
  }
  while (at < text.size() && !is_special(text[at])) ++at;
  return at;
}

// The length of the UTF-8 sequence (RFC 3629) at the beginning of `text`, or 0 if there is none. The texts are short: 1
// to 4 bytes are looked at.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (length > text.size() || !simdjson::validate_utf8(text.data(), length)) return 0;
  return length;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '"': out.append("\\\""); break;
    case '\\': out.append("\\\\"); break;
    case '\b': out.append("\\b"); break;
    case '\f': out.append("\\f"); break;
    case '\n': out.append("\\n"); break;
    case '\r': out.append("\\r"); break;
    case '\t': out.append("\\t"); break;
    default: out.append("\\u00").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
  }
}

// Text with something special in it. Where it is UTF-8 as a whole, which one fast look tells, only ASCII is special.
void append_text(std::string& out, std::string_view text) {
  const bool valid = simdjson::validate_utf8(text.data(), text.size());
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::size_t length = 1;
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      append_escaped(out, text[0]);
    } else if (valid) {
      while (length < text.size() && static_cast<unsigned char>(text[length]) >= 0x80) ++length;
      out.append(text, 0, length);
    } else if (const std::size_t sequence = sequence_length(text)) {
      length = sequence;
      out.append(text, 0, length);
    } else {
      out.append("\xEF\xBF\xBD");  // U+FFFD for each byte that is part of no sequence
    }
    text.remove_prefix(length);
  }
}

// The text in quotes, with a comma in front of it or a colon behind it. Plain text is put together in one step: each
// append() is a call that checks the capacity.
template <bool Key>
void append_quoted(std::string& out, std::string_view text, bool comma) {
  if (is_plain(text)) {
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + text.size() + 4, [&](char* bytes, std::size_t) {
      char* to = bytes + before;
      if (comma) *to++ = ',';
      *to++ = '"';
      to += text.copy(to, text.size());
      *to++ = '"';
      if (Key) *to++ = ':';
      return static_cast<std::size_t>(to - bytes);
    });
    return;
  }
  out.append(comma ? ",\"" : "\"");
  append_text(out, text);
  out.append(Key ? "\":" : "\"");
}

template <class Number>
void append_integer(std::string& out, Number value, bool comma) {
  char digits[24] = {','};
  const auto result = std::to_chars(digits + 1, digits + sizeof digits, value);
  out.append(comma ? digits : digits + 1, result.ptr);
}

}  // namespace

void Writer::null() {
  separate();
  out_.append("null");
}

void Writer::boolean(bool value) {
  separate();
  out_.append(value ? "true" : "false");
}

void Writer::integer(std::int64_t value) {
  append_integer(out_, value, std::exchange(comma_, true));
}

void Writer::unsigned_integer(std::uint64_t value) {
  append_integer(out_, value, std::exchange(comma_, true));
}

void Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  base::append_number(out_, value);
}

void Writer::number(float value) {
  if (!std::isfinite(value)) return null();
  separate();
  base::append_number(out_, value);
}

void Writer::text(std::string_view value) {
  append_quoted<false>(out_, value, std::exchange(comma_, true));
}

void Writer::raw(std::string_view json) {
  separate();
  out_.append(json);
}

void Writer::begin_array() {
  separate();
  comma_ = false;
  out_.push_back('[');
}

void Writer::end_array() {
  comma_ = true;
  out_.push_back(']');
}

void Writer::begin_object() {
  separate();
  comma_ = false;
  out_.push_back('{');
}

void Writer::key(std::string_view name) {
  append_quoted<true>(out_, name, std::exchange(comma_, false));
}

void Writer::member(const detail::WriteMember& member, const void* value) {
  if (member.quoted.empty()) {
    key(member.name);
  } else {
    out_.append(member.quoted.substr(std::exchange(comma_, false) ? 0 : 1));
  }
  member.write(*this, value);
}

void Writer::end_object() {
  comma_ = true;
  out_.push_back('}');
}

void detail::write_struct(Writer& writer, const WriteMember* members, const void* const* addresses, std::size_t count) {
  writer.begin_object();
  for (std::size_t i = 0; i < count; ++i) {
    writer.member(members[i], addresses[i]);
  }
  writer.end_object();
}

void detail::write_struct_without(Writer& writer, const WriteMember* members, const void* const* addresses,
                                  std::size_t count, std::uint64_t omitted, const Discriminator& discriminator) {
  writer.begin_object();
  if (!discriminator.member.empty()) {
    writer.key(discriminator.member);
    writer.text(discriminator.value);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if ((omitted >> i & 1) != 0) continue;
    writer.member(members[i], addresses[i]);
  }
  writer.end_object();
}

}  // namespace tern::json
