// Arrays as text, in the form of PostgreSQL's input and output functions ("Array Input and Output Syntax"):
//
//   {1,NULL,"a, b","with \"quotes\" and \\"}
//
// One dimension.
#include <tern/base/number.hpp>
#include <tern/sql/codec.hpp>

#include <string>

namespace tern::sql::detail {
namespace {

void append_quoted(std::string& text, std::string_view bytes) {
  text += '"';
  for (const char c : bytes) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

void append_blob(std::string& text, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  text += "\"\\\\x";
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4U];
    text += digits[static_cast<unsigned char>(c) & 15U];
  }
  text += '"';
}

// Reads up to the comma or brace behind an element. False if there is neither.
bool take_element(std::string_view& text, std::string& element, bool& quoted) {
  element.clear();
  quoted = text.starts_with('"');
  if (quoted) text.remove_prefix(1);
  while (!text.empty()) {
    const char c = text.front();
    if (quoted ? c == '"' : c == ',' || c == '}') break;
    if (!quoted && (c == '{' || c == '"')) return false;
    text.remove_prefix(1);
    if (c != '\\') {
      element += c;
      continue;
    }
    if (text.empty()) return false;
    element += text.front();
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  if (quoted) text.remove_prefix(1);
  return text.starts_with(',') || text.starts_with('}');
}

}  // namespace

void append_element(std::string& text, const Value& value) {
  text += text.empty() ? '{' : ',';
  switch (value.type) {
    case ValueType::Null: text += "NULL"; break;
    case ValueType::Integer: base::append_integer(text, value.integer); break;
    case ValueType::Real: append_real(text, value.real); break;
    case ValueType::Blob: append_blob(text, value.bytes); break;
    case ValueType::Array: text += value.bytes; break;
    default: append_quoted(text, value.bytes); break;
  }
}

void append_real(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value < 0 ? "-Infinity" : "Infinity";
  } else {
    base::append_number(text, value);
  }
}

bool ArrayText::next() {
  if (!started_) {
    if (!text_.starts_with('{')) return fail();
    started_ = true;
    text_.remove_prefix(1);
    if (text_ == "}") return false;
  } else {
    if (text_ == "}") return false;
    if (!text_.starts_with(',')) return fail();
    text_.remove_prefix(1);
  }
  bool quoted = false;
  if (!take_element(text_, element_, quoted) || (!quoted && element_.empty())) return fail();
  value_ = {};
  if (quoted || element_ != "NULL") value_ = {ValueType::Text, 0, 0, element_, {}};
  return true;
}

}  // namespace tern::sql::detail
