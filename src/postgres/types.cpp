#include "postgres/types.hpp"

#include <tern/base/number.hpp>
#include <tern/sql/codec.hpp>
#include <tern/sql/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace tern::postgres {
namespace {

struct KnownType {
  Oid oid;
  Form form;
  Form element;
  std::string_view name;
};

// By oid (pg_type.dat).
constexpr auto known_types = std::to_array<KnownType>({
    {16, Form::Bool, {}, "boolean"},
    {17, Form::Bytes, {}, "bytea"},
    {18, Form::Text, {}, "\"char\""},
    {19, Form::Text, {}, "name"},
    {20, Form::Int8, {}, "bigint"},
    {21, Form::Int2, {}, "smallint"},
    {23, Form::Int4, {}, "integer"},
    {25, Form::Text, {}, "text"},
    {114, Form::Json, {}, "json"},
    {700, Form::Float4, {}, "real"},
    {701, Form::Float8, {}, "double precision"},
    {1000, Form::Array, Form::Bool, "boolean[]"},
    {1001, Form::Array, Form::Bytes, "bytea[]"},
    {1005, Form::Array, Form::Int2, "smallint[]"},
    {1007, Form::Array, Form::Int4, "integer[]"},
    {1009, Form::Array, Form::Text, "text[]"},
    {1015, Form::Array, Form::Text, "character varying[]"},
    {1016, Form::Array, Form::Int8, "bigint[]"},
    {1021, Form::Array, Form::Float4, "real[]"},
    {1022, Form::Array, Form::Float8, "double precision[]"},
    {1042, Form::Text, {}, "character"},
    {1043, Form::Text, {}, "character varying"},
    {1082, Form::Date, {}, "date"},
    {1083, Form::Text, {}, "time without time zone"},
    {1114, Form::Time, {}, "timestamp without time zone"},
    {1115, Form::Array, Form::Time, "timestamp without time zone[]"},
    {1182, Form::Array, Form::Date, "date[]"},
    {1184, Form::Time, {}, "timestamp with time zone"},
    {1185, Form::Array, Form::Time, "timestamp with time zone[]"},
    {1186, Form::Text, {}, "interval"},
    {1231, Form::Text, {}, "numeric[]"},
    {1700, Form::Decimal, {}, "numeric"},
    {2278, Form::Text, {}, "void"},
    {2950, Form::Uuid, {}, "uuid"},
    {2951, Form::Array, Form::Uuid, "uuid[]"},
    {3802, Form::Json, {}, "jsonb"},
});

const KnownType* find_type(Oid oid) noexcept {
  const auto found = std::ranges::lower_bound(known_types, oid, {}, &KnownType::oid);
  return found != known_types.end() && found->oid == oid ? found : nullptr;
}

// From 1970-01-01 to 2000-01-01, where PostgreSQL's times begin.
constexpr std::int64_t epoch_days = 10957;
constexpr std::int64_t epoch_microseconds = epoch_days * 86'400'000'000;

constexpr std::uint32_t null_size = 0xFFFF'FFFF;

[[noreturn]] void refuse_bytes() {
  throw SqlError(SqlErrorKind::Column, "a value from the database does not have the form of its type");
}

template <class T>
T number_of(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) refuse_bytes();
  Reader reader(bytes);
  if constexpr (sizeof(T) == 2) return static_cast<T>(reader.read_16());
  if constexpr (sizeof(T) == 4) return static_cast<T>(reader.read_32());
  if constexpr (sizeof(T) == 8) return static_cast<T>(reader.read_64());
}

sql::Value integer(std::int64_t number) noexcept {
  return {sql::ValueType::Integer, number, 0, {}, {}};
}
sql::Value real(double number) noexcept {
  return {sql::ValueType::Real, 0, number, {}, {}};
}
sql::Value of_bytes(sql::ValueType type, std::string_view bytes) noexcept {
  return {type, 0, 0, bytes, {}};
}

// The first and the last number stand for infinity, which no C++ time has.
template <class T>
sql::Value time_value(std::string_view bytes, sql::ValueType type, std::int64_t epoch) {
  const T number = number_of<T>(bytes);
  if (number == std::numeric_limits<T>::max()) return of_bytes(sql::ValueType::Text, "infinity");
  if (number == std::numeric_limits<T>::min()) return of_bytes(sql::ValueType::Text, "-infinity");
  std::int64_t since_1970 = 0;
  if (__builtin_add_overflow(std::int64_t{number}, epoch, &since_1970)) refuse_bytes();
  return {type, since_1970, 0, {}, {}};
}

sql::Value decode_scalar(Form form, std::string_view bytes) {
  switch (form) {
    case Form::Bool:
      if (bytes.size() != 1) refuse_bytes();
      return integer(bytes[0] != 0 ? 1 : 0);
    case Form::Int2: return integer(number_of<std::int16_t>(bytes));
    case Form::Int4: return integer(number_of<std::int32_t>(bytes));
    case Form::Int8: return integer(number_of<std::int64_t>(bytes));
    case Form::Float4: return real(std::bit_cast<float>(number_of<std::uint32_t>(bytes)));
    case Form::Float8: return real(std::bit_cast<double>(number_of<std::uint64_t>(bytes)));
    case Form::Bytes: return of_bytes(sql::ValueType::Blob, bytes);
    case Form::Decimal: return of_bytes(sql::ValueType::Decimal, bytes);
    case Form::Json: return of_bytes(sql::ValueType::Json, bytes);
    case Form::Date: return time_value<std::int32_t>(bytes, sql::ValueType::Date, epoch_days);
    case Form::Time: return time_value<std::int64_t>(bytes, sql::ValueType::Time, epoch_microseconds);
    case Form::Uuid:
      if (bytes.size() != 16) refuse_bytes();
      return of_bytes(sql::ValueType::Uuid, bytes);
    default: return of_bytes(sql::ValueType::Text, bytes);
  }
}

// array = dimensions(4) has-null(4) element-type(4) [size(4) first-index(4)] { length(4) bytes }
sql::Value decode_array(const Type& type, std::string_view bytes, Items& items) {
  Reader reader(bytes);
  const std::uint32_t dimensions = reader.read_32();
  reader.read_32();
  reader.read_32();
  items.clear();
  if (dimensions > 1) {
    throw SqlError(SqlErrorKind::Column, "an array with several dimensions cannot be read");
  }
  std::uint32_t count = 0;
  if (dimensions == 1) {
    count = reader.read_32();
    reader.read_32();
  }
  if (reader.failed() || count > bytes.size() / 4) refuse_bytes();
  items.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t size = reader.read_32();
    if (size == null_size) {
      items.emplace_back();
      continue;
    }
    const std::string_view item = reader.read_bytes(size);
    if (reader.failed()) refuse_bytes();
    items.push_back(decode_scalar(type.element, item));
  }
  if (!reader.rest().empty()) refuse_bytes();
  sql::Value value;
  value.type = sql::ValueType::Array;
  value.items = items;
  return value;
}

[[noreturn]] void refuse_number(const Type& type, const sql::Value& value, std::size_t index) {
  throw SqlError(SqlErrorKind::Parameter, "argument $" + std::to_string(index) + " is " +
                                              std::to_string(value.integer) + ", which the type " + name_of(type.oid) +
                                              " cannot hold");
}

template <class T>
T narrowed(const Type& type, const sql::Value& value, std::size_t index) {
  if (!std::in_range<T>(value.integer)) refuse_number(type, value, index);
  return static_cast<T>(value.integer);
}

}  // namespace

Type type_of(Oid oid) noexcept {
  const KnownType* const known = find_type(oid);
  return known == nullptr ? Type{oid, Form::Text, Form::Text} : Type{oid, known->form, known->element};
}

std::string name_of(Oid oid) {
  const KnownType* const known = find_type(oid);
  return known == nullptr ? "type " + std::to_string(oid) : std::string(known->name);
}

sql::Value decode(const Type& type, std::string_view bytes, Items& items) {
  return type.form == Form::Array ? decode_array(type, bytes, items) : decode_scalar(type.form, bytes);
}

// The most frequent forms are decoded in place.
void decode_row(Reader& reader, std::span<const Type> types, std::span<sql::Value> values, std::span<Items> items) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::uint32_t size = reader.read_32();
    sql::Value& value = values[i];
    if (size == null_size) {
      value = {};
      continue;
    }
    const std::string_view bytes = reader.read_bytes(size);
    if (types[i].form == Form::Text) {
      value = of_bytes(sql::ValueType::Text, bytes);
    } else if (types[i].form == Form::Int4) {
      value = integer(number_of<std::int32_t>(bytes));
    } else {
      value = decode(types[i], bytes, items[i]);
    }
  }
}

bool sends_binary(const Type& type, const sql::Value& value) noexcept {
  switch (value.type) {
    case sql::ValueType::Integer:
      return type.form == Form::Int2 || type.form == Form::Int4 || type.form == Form::Int8 || type.form == Form::Bool;
    case sql::ValueType::Real:
      return type.form == Form::Float8 ||
             (type.form == Form::Float4 && std::isfinite(static_cast<float>(value.real)) == std::isfinite(value.real));
    case sql::ValueType::Blob: return true;
    default: return false;
  }
}

void encode(Message& message, const Type& type, const sql::Value& value, std::size_t index) {
  if (value.type == sql::ValueType::Null) return message.add_32(null_size);
  const std::size_t begin = message.begin_value();
  if (!sends_binary(type, value)) {
    if (value.type == sql::ValueType::Integer) base::append_integer(message.text(), value.integer);
    if (value.type == sql::ValueType::Real) sql::detail::append_real(message.text(), value.real);
    message.add_bytes(value.bytes);
  } else if (type.form == Form::Int2) {
    message.add_16(static_cast<std::uint16_t>(narrowed<std::int16_t>(type, value, index)));
  } else if (type.form == Form::Int4) {
    message.add_32(static_cast<std::uint32_t>(narrowed<std::int32_t>(type, value, index)));
  } else if (type.form == Form::Int8) {
    message.add_64(static_cast<std::uint64_t>(value.integer));
  } else if (type.form == Form::Bool) {
    if (value.integer != 0 && value.integer != 1) refuse_number(type, value, index);
    message.add_byte(static_cast<char>(value.integer));
  } else if (value.type == sql::ValueType::Blob) {
    message.add_bytes(value.bytes);
  } else if (type.form == Form::Float4) {
    message.add_32(std::bit_cast<std::uint32_t>(static_cast<float>(value.real)));
  } else {
    message.add_64(std::bit_cast<std::uint64_t>(value.real));
  }
  message.end_value(begin);
}

}  // namespace tern::postgres
