// Values between the program and a database: the arguments of a statement, and the cells of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::sql {

enum class ValueType : std::uint8_t { Null, Integer, Real, Text, Blob };

// "NULL", "INTEGER", "REAL", "TEXT" or "BLOB".
std::string_view to_string(ValueType type) noexcept;

// A view of one value: only the member that `type` names is set.
struct Value {
  ValueType type = ValueType::Null;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes = {};  // of Text and Blob
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

  std::size_t size() const noexcept { return entries_.size(); }
  // Valid until the next change.
  Value operator[](std::size_t index) const noexcept;

private:
  struct Entry {
    ValueType type = ValueType::Null;
    std::int64_t integer = 0;  // of Text and Blob: where its bytes begin
    double real = 0;
    std::size_t size = 0;
  };
  void add_bytes(ValueType type, std::string_view bytes);

  std::vector<Entry> entries_;
  std::string bytes_;
};

}  // namespace tern::sql
