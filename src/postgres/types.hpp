// The types of PostgreSQL that are exchanged in binary form, and their values (the functions *_send and *_recv of
// PostgreSQL). Others, decimals and JSON among them, are exchanged as text.
#pragma once

#include "postgres/wire.hpp"

#include <tern/sql/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {

using Oid = std::uint32_t;

enum class Form : std::uint8_t {
  Text,
  Decimal,
  Bool,
  Int2,
  Int4,
  Int8,
  Float4,
  Float8,
  Bytes,
  Date,
  Time,
  Uuid,
  Array,
  Json
};

// How values of a column, or of a parameter, are exchanged.
struct Type {
  Oid oid = 0;
  Form form = Form::Text;
  Form element = Form::Text;  // of Array

  // Of results.
  bool is_binary() const noexcept { return form != Form::Text && form != Form::Decimal && form != Form::Json; }
};

Type type_of(Oid oid) noexcept;
// "integer", "timestamp with time zone"; "type 16405" for types that are not built in.
std::string name_of(Oid oid);

// The elements of an array.
using Items = std::vector<sql::Value>;

// Throws SqlError (Column) if the bytes are not of that type. Views of `bytes` and of `items`.
sql::Value decode(const Type& type, std::string_view bytes, Items& items);
// The values of a DataRow, behind their number: one of each type. Throws as decode() does; the reader fails if there
// are fewer. Views of the message and of `items`.
void decode_row(Reader& reader, std::span<const Type> types, std::span<sql::Value> values, std::span<Items> items);

// Whether an argument is sent in binary form.
bool sends_binary(const Type& type, const sql::Value& value) noexcept;
// Appends length and bytes. Throws SqlError (Parameter) for a number that the type cannot hold. `index` from 1.
void encode(Message& message, const Type& type, const sql::Value& value, std::size_t index);

}  // namespace tern::postgres
