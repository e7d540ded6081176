// Values that databases have as types of their own, and as text.
#include <tern/base/number.hpp>
#include <tern/base/utf8.hpp>
#include <tern/sql/codec.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace tern::sql::detail {

bool text_of(const Value& value, std::string& text) {
  constexpr std::int64_t million = 1'000'000;
  switch (value.type) {
    case ValueType::Text:
    case ValueType::Json:
      if (!base::is_utf8(value.bytes)) return false;
      text = value.bytes;
      return true;
    case ValueType::Decimal: text = value.bytes; return true;
    case ValueType::Date: text = date_text(date_of(value.integer)); return true;
    case ValueType::Time: text = time_text(value.integer, 1, million); return true;
    case ValueType::Uuid: {
      Uuid uuid;
      if (!read_uuid(value, uuid)) return false;
      text = uuid.to_string();
      return true;
    }
    default: return false;
  }
}

bool raw_of(const Value& value, json::Raw& raw) {
  if (value.type == ValueType::Json) return text_of(value, raw.text);
  if (value.type != ValueType::Text) return false;
  auto read = json::read<json::Raw>(value.bytes);
  if (read) raw = std::move(*read);
  return read.has_value();
}

// "12.00" is 12.
bool read_integer(const Value& value, std::int64_t& out) {
  if (value.type != ValueType::Decimal) return false;
  const std::string_view digits = value.bytes;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  if (digits.find_first_not_of('0', std::min(point + 1, digits.size())) != std::string_view::npos) return false;
  const auto number = base::parse_integer<std::int64_t>(digits.substr(0, point));
  if (number) out = *number;
  return number.has_value();
}

bool read_real(const Value& value, double& out) {
  if (value.type != ValueType::Decimal) return false;
  const bool is_negative = value.bytes.starts_with('-');
  if (value.bytes == "NaN") {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (value.bytes.substr(is_negative ? 1 : 0) == "Infinity") {
    out = is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  } else {
    const auto number = base::parse_double(value.bytes);
    if (number) out = *number;
    return number.has_value();
  }
  return true;
}

bool read_uuid(const Value& value, Uuid& out) {
  if (value.type == ValueType::Text) {
    const auto parsed = Uuid::parse(value.bytes);
    if (parsed) out = *parsed;
    return parsed.has_value();
  }
  if (value.type != ValueType::Uuid || value.bytes.size() != out.bytes.size()) return false;
  std::ranges::copy(value.bytes, reinterpret_cast<char*>(out.bytes.data()));
  return true;
}

}  // namespace tern::sql::detail
