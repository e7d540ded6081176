#include <tern/base/utf8.hpp>
#include <tern/sql/codec.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/value.hpp>

#include <string>

namespace tern::sql {
namespace {

[[noreturn]] void refuse_argument(std::size_t index, std::string_view why) {
  throw SqlError(SqlErrorKind::Text, "argument $" + std::to_string(index) + " " + std::string(why));
}

bool has_bytes(ValueType type) {
  return type == ValueType::Text || type == ValueType::Blob || type == ValueType::Array;
}

}  // namespace

std::string_view to_string(ValueType type) noexcept {
  switch (type) {
    case ValueType::Null: return "NULL";
    case ValueType::Integer: return "INTEGER";
    case ValueType::Real: return "REAL";
    case ValueType::Text: return "TEXT";
    case ValueType::Blob: return "BLOB";
    case ValueType::Decimal: return "NUMERIC";
    case ValueType::Date: return "DATE";
    case ValueType::Time: return "TIMESTAMP";
    case ValueType::Uuid: return "UUID";
    case ValueType::Array: return "ARRAY";
    case ValueType::Json: return "JSON";
  }
  return {};
}

void Arguments::add_null() {
  entries_.push_back({});
}

void Arguments::add_integer(std::int64_t value) {
  entries_.push_back({ValueType::Integer, value, 0, 0});
}

void Arguments::add_real(double value) {
  entries_.push_back({ValueType::Real, 0, value, 0});
}

void Arguments::check_text(std::string_view text) const {
  if (text.find('\0') != std::string_view::npos) refuse_argument(size() + 1, "has a NUL, which text cannot have");
  if (!base::is_utf8(text)) refuse_argument(size() + 1, "is not UTF-8; bytes are a std::vector<std::byte>");
}

void Arguments::add_text(std::string_view text) {
  check_text(text);
  add_bytes(ValueType::Text, text);
}

void Arguments::add_array(std::string_view text) {
  check_text(text);
  add_bytes(ValueType::Array, text);
}

void Arguments::append(const Arguments& others) {
  const std::size_t offset = bytes_.size();
  bytes_ += others.bytes_;
  for (Entry entry : others.entries_) {
    if (has_bytes(entry.type)) entry.integer += static_cast<std::int64_t>(offset);
    entries_.push_back(entry);
  }
}

void Arguments::add_blob(std::span<const std::byte> bytes) {
  add_bytes(ValueType::Blob, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void Arguments::add_bytes(ValueType type, std::string_view bytes) {
  entries_.push_back({type, static_cast<std::int64_t>(bytes_.size()), 0, bytes.size()});
  bytes_ += bytes;
}

Value Arguments::operator[](std::size_t index) const noexcept {
  const Entry& entry = entries_[index];
  Value value{entry.type, entry.integer, entry.real, {}, {}};
  if (has_bytes(entry.type)) {
    value.integer = 0;
    value.bytes = std::string_view(bytes_).substr(static_cast<std::size_t>(entry.integer), entry.size);
  }
  return value;
}

namespace detail {

void throw_nameless_enumerator(std::size_t index) {
  refuse_argument(index, "is an enumerator without a name");
}

void throw_too_large(std::size_t index) {
  refuse_argument(index, "exceeds 64 bits with sign");
}

}  // namespace detail
}  // namespace tern::sql
