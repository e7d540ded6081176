// Values between the program and a database: the arguments of a statement, and the cells of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::sql {

// SQLite has the first five. Arguments have those, and Array.
enum class ValueType : std::uint8_t {
  Null,
  Integer,
  Real,
  Text,
  Blob,
  Decimal,  // bytes: digits, as "-12.50"; or "NaN", "Infinity"
  Date,     // integer: days since 1970-01-01
  Time,     // integer: microseconds since 1970-01-01T00:00:00Z
  Uuid,     // bytes: 16
  Array,    // of a result: `items`; of an argument: bytes, as PostgreSQL writes arrays, "{1,2}"
  Json,     // bytes: text that the database has checked to be JSON
};

// "NULL", "INTEGER", "REAL", "TEXT" and so on.
std::string_view to_string(ValueType type) noexcept;

// A view of one value: only the member that `type` names is set.
struct Value {
  ValueType type = ValueType::Null;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes = {};  // of Text, Blob, Decimal, Uuid and Json
  std::span<const Value> items = {};
};

// A column of a result. Views of the driver.
struct Column {
  std::string_view name;
  std::string_view declared_type;  // as the table declares it; empty if unknown
};

// The arguments of a statement, for $1, $2 and so on. Owns copies.
class Arguments {
public:
  void add_null();
  void add_integer(std::int64_t value);
  void add_real(double value);
  // Throws SqlError (Text) for text that has a NUL or is not UTF-8.
  void add_text(std::string_view text);
  void add_blob(std::span<const std::byte> bytes);
  // As PostgreSQL writes arrays: "{1,2}". Other databases have none. Throws as add_text() does.
  void add_array(std::string_view text);
  void append(const Arguments& others);

  std::size_t size() const noexcept { return entries_.size(); }
  // Valid until the next change.
  Value operator[](std::size_t index) const noexcept;

private:
  struct Entry {
    ValueType type = ValueType::Null;
    std::int64_t integer = 0;  // of Text, Blob and Array: where its bytes begin
    double real = 0;
    std::size_t size = 0;
  };
  void check_text(std::string_view text) const;
  void add_bytes(ValueType type, std::string_view bytes);

  std::vector<Entry> entries_;
  std::string bytes_;
};

}  // namespace tern::sql
