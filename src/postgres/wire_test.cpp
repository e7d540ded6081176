// Messages and values as PostgreSQL sends them.
#include "postgres/wire.hpp"
#include "postgres/error.hpp"
#include "postgres/prepared.hpp"
#include "postgres/types.hpp"

#include <tern/sql/error.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace std::string_view_literals;

namespace tern::postgres {
namespace {

TEST(PostgresWire, writes_the_length_of_messages_and_values) {
  std::string out;
  {
    Message message(out, 'Q');
    message.add_string("ab");
    const std::size_t begin = message.begin_value();
    message.add_16(0x0102);
    message.end_value(begin);
  }
  EXPECT_EQ(out,
            "Q\0\0\0\x0D"
            "ab\0\0\0\0\x02\x01\x02"sv);
}

TEST(PostgresWire, reads_nothing_behind_the_end) {
  Reader reader("\1\2\3"sv);
  EXPECT_EQ(reader.read_16(), 0x0102);
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(reader.read_16(), 0);
  EXPECT_TRUE(reader.failed());
  Reader text("ab"sv);
  EXPECT_EQ(text.read_string(), "");
  EXPECT_TRUE(text.failed());
}

sql::Value decoded(Oid oid, std::string_view bytes) {
  std::vector<sql::Value> items;
  return decode(type_of(oid), bytes, items);
}

TEST(PostgresTypes, decode_their_binary_form) {
  EXPECT_EQ(decoded(21, "\xFF\xFE"sv).integer, -2);
  EXPECT_EQ(decoded(23, "\0\0\1\0"sv).integer, 256);
  EXPECT_EQ(decoded(20, "\x80\0\0\0\0\0\0\0"sv).integer, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(decoded(16, "\1"sv).integer, 1);
  EXPECT_EQ(decoded(701, "\x3F\xF0\0\0\0\0\0\0"sv).real, 1.0);
  EXPECT_EQ(decoded(700, "\x3F\x80\0\0"sv).real, 1.0);
  EXPECT_EQ(decoded(1082, "\0\0\0\1"sv).integer, 10958);
  EXPECT_EQ(decoded(1184, "\0\0\0\0\0\0\0\1"sv).integer, 946'684'800'000'001);
  EXPECT_EQ(decoded(1184, "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv).bytes, "infinity");
  EXPECT_EQ(decoded(1082, "\x80\0\0\0"sv).bytes, "-infinity");
  EXPECT_EQ(decoded(16405, "text").type, sql::ValueType::Text);
}

TEST(PostgresTypes, refuse_values_of_another_size) {
  for (const auto& [oid, bytes] : {std::pair(Oid{23}, "\0\0\1"sv), {20, "\0"sv}, {16, ""sv}, {2950, "\0"sv}}) {
    EXPECT_THROW(decoded(oid, bytes), SqlError) << oid;
  }
}

TEST(PostgresTypes, decode_arrays) {
  constexpr std::string_view bytes = "\0\0\0\1\0\0\0\1\0\0\0\x17\0\0\0\2\0\0\0\1\0\0\0\4\0\0\0\7\xFF\xFF\xFF\xFF"sv;
  std::vector<sql::Value> items;
  const sql::Value value = decode(type_of(1007), bytes, items);
  ASSERT_EQ(value.items.size(), 2U);
  EXPECT_EQ(value.items[0].integer, 7);
  EXPECT_EQ(value.items[1].type, sql::ValueType::Null);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decoded(1007, bytes.substr(0, size)), SqlError) << size;
  }
  EXPECT_EQ(decoded(1007, "\0\0\0\0\0\0\0\0\0\0\0\x17"sv).items.size(), 0U);
  EXPECT_THROW(decoded(1007, "\0\0\0\2\0\0\0\0\0\0\0\x17\0\0\0\0"sv), SqlError);                  // two dimensions
  EXPECT_THROW(decoded(1007, "\0\0\0\1\0\0\0\0\0\0\0\x17\x7F\xFF\xFF\xFF\0\0\0\1"sv), SqlError);  // no such many
}

TEST(PostgresTypes, refuse_numbers_that_a_parameter_cannot_hold) {
  std::string out;
  Message message(out, 'B');
  sql::Value value;
  value.type = sql::ValueType::Integer;
  value.integer = 40'000;
  EXPECT_THROW(encode(message, type_of(21), value, 1), SqlError);
  EXPECT_NO_THROW(encode(message, type_of(23), value, 1));
  value.integer = 2;
  EXPECT_THROW(encode(message, type_of(16), value, 1), SqlError);
}

TEST(PostgresErrors, have_kind_constraint_and_column) {
  bool fatal = false;
  const SqlError error = error_of(
      "SERROR\0VERROR\0C23505\0Mduplicate\0DKey (isbn, year)=(1, 2) already exists.\0tbook\0nbook_isbn_key\0\0"sv,
      fatal);
  EXPECT_EQ(error.kind(), SqlErrorKind::UniqueViolation);
  EXPECT_EQ(error.sqlstate(), "23505");
  EXPECT_EQ(error.table(), "book");
  EXPECT_EQ(error.column(), "isbn");
  EXPECT_EQ(error.constraint(), "book_isbn_key");
  EXPECT_FALSE(fatal);
  EXPECT_EQ(error_of("VFATAL\0C57P01\0Mbye\0\0"sv, fatal).kind(), SqlErrorKind::Unavailable);
  EXPECT_TRUE(fatal);
  EXPECT_EQ(error_of("C40"sv, fatal).kind(), SqlErrorKind::Other);
}

TEST(PostgresPrepared, keeps_those_that_were_used_last) {
  PreparedStatements statements(2);
  Prepared& one = statements.add("one", true);
  statements.add("two", true);
  one.in_use = 1;
  statements.add("three", true);
  Prepared* surplus = statements.surplus();
  ASSERT_NE(surplus, nullptr);
  EXPECT_EQ(surplus->text, "two");  // "one" is older, but in use
  statements.drop(*surplus);
  EXPECT_EQ(statements.find("two"), nullptr);
  EXPECT_EQ(statements.surplus(), nullptr);
  statements.drop(one);
  EXPECT_EQ(statements.find("one"), nullptr);
  EXPECT_EQ(one.text, "one");  // until it is not in use
  one.in_use = 0;
  statements.release(one);
  EXPECT_NE(statements.find("three"), nullptr);
}

}  // namespace
}  // namespace tern::postgres
