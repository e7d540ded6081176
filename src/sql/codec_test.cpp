#include <tern/sql.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

struct Cents {
  std::int64_t count = 0;
  friend bool operator==(const Cents&, const Cents&) = default;
};

template <>
struct tern::SqlCodec<Cents> {
  using Stored = std::int64_t;
  static std::int64_t to_sql(const Cents& cents) { return cents.count; }
  static std::optional<Cents> from_sql(std::int64_t count) {
    return count < 0 ? std::nullopt : std::optional(Cents{count});
  }
};

namespace tern::sql {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using SysMillis = std::chrono::sys_time<std::chrono::milliseconds>;
using SysNanos = std::chrono::sys_time<std::chrono::nanoseconds>;
using SysHours = std::chrono::sys_time<std::chrono::hours>;

enum class Genre { Novel, Poem };
struct Size {
  int width = 0;
  int height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

Value text_value(std::string_view text) {
  return {ValueType::Text, 0, 0, text};
}
Value integer_value(std::int64_t integer) {
  return {ValueType::Integer, integer, 0, {}};
}
Value real_value(double real) {
  return {ValueType::Real, 0, real, {}};
}

template <class T>
std::optional<T> decoded(const Value& value) {
  T out{};
  return decode(value, out) ? std::optional<T>(std::move(out)) : std::nullopt;
}

// What a T is after it was an argument.
template <class T>
std::optional<T> there_and_back(const T& value) {
  Arguments arguments;
  encode(arguments, value);
  return decoded<T>(arguments[0]);
}

std::string text_of_argument(const auto& value) {
  Arguments arguments;
  encode(arguments, value);
  EXPECT_EQ(arguments[0].type, ValueType::Text);
  return std::string(arguments[0].bytes);
}

TEST(SqlCodec, integers_fit_or_are_refused) {
  EXPECT_EQ(decoded<std::int8_t>(integer_value(-128)), -128);
  EXPECT_EQ(decoded<std::int8_t>(integer_value(128)), std::nullopt);
  EXPECT_EQ(decoded<std::uint8_t>(integer_value(-1)), std::nullopt);
  EXPECT_EQ(decoded<std::int32_t>(integer_value(3'000'000'000)), std::nullopt);
  EXPECT_EQ(decoded<std::int32_t>(real_value(1)), std::nullopt);
  EXPECT_EQ(decoded<std::int32_t>(text_value("1")), std::nullopt);
  EXPECT_EQ(decoded<int>(Value{}), std::nullopt);
  EXPECT_EQ(there_and_back<std::int64_t>(INT64_MIN), INT64_MIN);
  Arguments arguments;
  EXPECT_THROW(encode(arguments, UINT64_MAX), SqlError);
}

TEST(SqlCodec, bools_are_0_and_1) {
  EXPECT_EQ(there_and_back(true), true);
  EXPECT_EQ(there_and_back(false), false);
  EXPECT_EQ(decoded<bool>(integer_value(2)), std::nullopt);
}

TEST(SqlCodec, numbers_are_not_rounded_from_integers) {
  EXPECT_EQ(there_and_back(0.1), 0.1);
  EXPECT_EQ(decoded<double>(integer_value(7)), 7.0);
  EXPECT_EQ(decoded<double>(integer_value((std::int64_t{1} << 53) + 1)), std::nullopt);
  EXPECT_EQ(decoded<double>(integer_value(INT64_MAX)), std::nullopt);
  EXPECT_EQ(decoded<float>(real_value(1e300)), std::nullopt);
  EXPECT_EQ(decoded<double>(text_value("7")), std::nullopt);
}

TEST(SqlCodec, text_is_utf8_without_nul) {
  EXPECT_EQ(there_and_back<std::string>("h\xC3\xA4t"), "h\xC3\xA4t");
  EXPECT_EQ(text_of_argument("literal"), "literal");
  EXPECT_EQ(decoded<std::string>(text_value("\xFF")), std::nullopt);
  Arguments arguments;
  EXPECT_THROW(encode(arguments, std::string("a\0b", 3)), SqlError);
  EXPECT_THROW(encode(arguments, std::string("\xC0\x80")), SqlError);
}

TEST(SqlCodec, blobs_have_any_byte) {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{255}};
  EXPECT_EQ(there_and_back(bytes), bytes);
  EXPECT_EQ(there_and_back(std::vector<std::byte>()), std::vector<std::byte>());
  EXPECT_EQ(decoded<std::string>(Value{ValueType::Blob, 0, 0, "x"}), std::nullopt);
}

TEST(SqlCodec, optionals_are_null) {
  EXPECT_EQ(there_and_back(std::optional<int>()).value(), std::nullopt);
  EXPECT_EQ(there_and_back(std::optional(5)), 5);
  Arguments arguments;
  encode(arguments, std::nullopt);
  EXPECT_EQ(arguments[0].type, ValueType::Null);
}

TEST(SqlCodec, enumerators_are_names) {
  EXPECT_EQ(text_of_argument(Genre::Poem), "Poem");
  EXPECT_EQ(there_and_back(Genre::Novel), Genre::Novel);
  EXPECT_EQ(decoded<Genre>(text_value("Opera")), std::nullopt);
  Arguments arguments;
  EXPECT_THROW(encode(arguments, static_cast<Genre>(9)), SqlError);
}

TEST(SqlCodec, dates_are_text) {
  const sys_days day = std::chrono::year(2024) / 2 / 29;
  EXPECT_EQ(text_of_argument(day), "2024-02-29");
  EXPECT_EQ(there_and_back(day), day);
  EXPECT_EQ(decoded<std::chrono::year_month_day>(text_value("0001-12-31")), std::chrono::year(1) / 12 / 31);
  for (const char* bad : {"2023-02-29", "2024-2-29", "2024-02-29T00:00:00Z", "", "2024-13-01", "infinity"}) {
    EXPECT_EQ(decoded<sys_days>(text_value(bad)), std::nullopt) << bad;
  }
}

TEST(SqlCodec, times_are_utc_text_with_the_digits_of_the_duration) {
  const sys_days day = std::chrono::year(2024) / 2 / 29;
  EXPECT_EQ(text_of_argument(sys_seconds(day + 1h + 2min + 3s)), "2024-02-29T01:02:03Z");
  EXPECT_EQ(text_of_argument(SysMillis(day + 4ms)), "2024-02-29T00:00:00.004Z");
  EXPECT_EQ(text_of_argument(SysMillis(-1ms)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(there_and_back(SysNanos(123456789ns)), SysNanos(123456789ns));
  EXPECT_EQ(there_and_back(SysMillis(-1ms)), SysMillis(-1ms));
  EXPECT_EQ(decoded<sys_seconds>(text_value("2024-02-29 01:02:03")), day + 1h + 2min + 3s);
}

TEST(SqlCodec, times_that_would_be_rounded_are_refused) {
  EXPECT_EQ(decoded<sys_seconds>(text_value("2024-02-29T00:00:00.5Z")), std::nullopt);
  EXPECT_EQ(decoded<SysHours>(text_value("2024-02-29T00:30:00Z")), std::nullopt);
  EXPECT_EQ(decoded<SysNanos>(text_value("9999-01-01T00:00:00Z")), std::nullopt);
  for (const char* bad : {"2024-02-29T24:00:00Z", "2024-02-29T00:00:00.Z", "2024-02-29T00:00:00+01:00", "now"}) {
    EXPECT_EQ(decoded<sys_seconds>(text_value(bad)), std::nullopt) << bad;
  }
}

TEST(SqlCodec, json_is_text) {
  Json<Size> size;
  size.value = {3, 4};
  EXPECT_EQ(text_of_argument(size), R"({"width":3,"height":4})");
  EXPECT_EQ(decoded<Json<Size>>(text_value(R"({"width":5,"height":6})"))->value, (Size{5, 6}));
  EXPECT_FALSE(decoded<Json<Size>>(text_value("{")).has_value());
}

TEST(SqlCodec, raw_json_is_checked_unless_the_database_has_done_it) {
  const auto of_database = [](std::string_view text) { return Value{ValueType::Json, 0, 0, text}; };
  EXPECT_EQ(decoded<json::Raw>(of_database("[1,  2]"))->text, "[1,  2]");  // as it is
  EXPECT_EQ(decoded<json::Raw>(of_database("\"\xFF\"")), std::nullopt);
  EXPECT_EQ(decoded<json::Raw>(text_value("[1, 2]"))->text, "[1,2]");
  EXPECT_EQ(decoded<json::Raw>(text_value("[1, 2")), std::nullopt);
  EXPECT_EQ(decoded<json::Raw>(integer_value(1)), std::nullopt);
  EXPECT_EQ(decoded<std::optional<json::Raw>>(Value{}).value(), std::nullopt);
  EXPECT_EQ(text_of_argument(json::Raw{"{}"}), "{}");
  EXPECT_EQ(text_of_argument(json::RawView{"{}"}), "{}");
  EXPECT_EQ(decoded<std::string>(of_database("[1]")), "[1]");
  EXPECT_EQ(decoded<Json<std::vector<int>>>(of_database("[1]"))->value, std::vector<int>{1});
  EXPECT_EQ(to_string(ValueType::Json), "JSON");
}

TEST(SqlCodec, types_of_the_program_are_stored_as_others) {
  EXPECT_EQ(there_and_back(Cents{250}), Cents{250});
  EXPECT_EQ(decoded<Cents>(integer_value(-1)), std::nullopt);
  EXPECT_EQ(there_and_back(std::optional<Cents>()).value(), std::nullopt);
}

TEST(SqlText, counts_parameters_outside_of_quotes_and_comments) {
  const auto count = [](std::string_view text) {
    bool malformed = false;
    const std::size_t highest = count_parameters(text, malformed);
    return malformed ? SIZE_MAX : highest;
  };
  EXPECT_EQ(count("select 1"), 0U);
  EXPECT_EQ(count("select $2, $1, $2"), 2U);
  EXPECT_EQ(count("select '$3', \"$4\", `$5` -- $6\n, /* $7 ? */ $1"), 1U);
  EXPECT_EQ(count("select 'it''s $2', $1"), 1U);
  EXPECT_EQ(count("select ?"), SIZE_MAX);
  EXPECT_EQ(count("select '"), 0U);
}

TEST(SqlProblem, is_the_response_for_the_kind) {
  const auto status = [](SqlErrorKind kind) { return sql_problem(SqlError(kind, "secret")).status(); };
  EXPECT_EQ(status(SqlErrorKind::UniqueViolation), Status::Conflict);
  EXPECT_EQ(status(SqlErrorKind::ForeignKeyViolation), Status::Conflict);
  EXPECT_EQ(status(SqlErrorKind::CheckViolation), Status::UnprocessableContent);
  EXPECT_EQ(status(SqlErrorKind::NotNullViolation), Status::UnprocessableContent);
  EXPECT_EQ(status(SqlErrorKind::NoRow), Status::NotFound);
  EXPECT_EQ(status(SqlErrorKind::Busy), Status::ServiceUnavailable);
  EXPECT_EQ(status(SqlErrorKind::Column), Status::InternalServerError);
  EXPECT_EQ(sql_problem(SqlError(SqlErrorKind::Statement, "secret")).problem().detail, "");
}

TEST(SqlCodec, reads_types_that_only_some_databases_have) {
  EXPECT_EQ(decoded<std::int64_t>(Value{ValueType::Decimal, 0, 0, "-12.00", {}}), -12);
  EXPECT_EQ(decoded<std::int64_t>(Value{ValueType::Decimal, 0, 0, "12.5", {}}), std::nullopt);
  EXPECT_EQ(decoded<std::int64_t>(Value{ValueType::Decimal, 0, 0, "NaN", {}}), std::nullopt);
  EXPECT_EQ(decoded<std::int8_t>(Value{ValueType::Decimal, 0, 0, "128", {}}), std::nullopt);
  EXPECT_EQ(decoded<double>(Value{ValueType::Decimal, 0, 0, "12.5", {}}), 12.5);
  EXPECT_TRUE(std::isnan(*decoded<double>(Value{ValueType::Decimal, 0, 0, "NaN", {}})));
  EXPECT_EQ(decoded<std::string>(Value{ValueType::Decimal, 0, 0, "0.10", {}}), "0.10");
  EXPECT_EQ(decoded<sys_days>(Value{ValueType::Date, -1, 0, {}, {}}), sys_days(std::chrono::days(-1)));
  EXPECT_EQ(decoded<std::string>(Value{ValueType::Date, -1, 0, {}, {}}), "1969-12-31");
  EXPECT_EQ(decoded<sys_seconds>(Value{ValueType::Time, -2'000'000, 0, {}, {}}), sys_seconds(-2s));
  EXPECT_EQ(decoded<sys_seconds>(Value{ValueType::Time, 2'000'001, 0, {}, {}}), std::nullopt);
  EXPECT_EQ(decoded<SysNanos>(Value{ValueType::Time, 7, 0, {}, {}}), SysNanos(7us));
  EXPECT_EQ(decoded<SysNanos>(Value{ValueType::Time, std::int64_t{1} << 60, 0, {}, {}}), std::nullopt);
  EXPECT_EQ(decoded<std::string>(Value{ValueType::Time, 1, 0, {}, {}}), "1970-01-01T00:00:00.000001Z");
}

TEST(SqlCodec, converts_uuids) {
  const std::string text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
  const auto uuid = Uuid::parse("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6");
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid->to_string(), text);
  const std::string_view bytes(reinterpret_cast<const char*>(uuid->bytes.data()), uuid->bytes.size());
  EXPECT_EQ(decoded<Uuid>(Value{ValueType::Uuid, 0, 0, bytes, {}}), uuid);
  EXPECT_EQ(decoded<std::string>(Value{ValueType::Uuid, 0, 0, bytes, {}}), text);
  EXPECT_EQ(decoded<Uuid>(text_value(text)), uuid);
  for (const char* wrong : {"", "f81d4fae7dec11d0a76500a0c91e6bf6", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 "}) {
    EXPECT_FALSE(Uuid::parse(wrong)) << wrong;
  }
  Arguments arguments;
  encode(arguments, *uuid);
  EXPECT_EQ(arguments[0].bytes, text);
}

TEST(SqlCodec, converts_arrays) {
  Arguments arguments;
  encode(arguments, std::vector<int>{1, -2});
  encode(arguments, std::vector<std::string>{"a", "b, \"c\"", "d\\", "", "NULL"});
  encode(arguments, std::vector<std::optional<double>>{0.5, std::nullopt});
  encode(arguments, std::vector<bool>{true, false});
  encode(arguments, std::vector<Genre>{Genre::Poem});
  encode(arguments, std::vector<int>{});
  EXPECT_EQ(arguments[0].type, ValueType::Array);
  EXPECT_EQ(arguments[0].bytes, "{1,-2}");
  EXPECT_EQ(arguments[1].bytes, R"({"a","b, \"c\"","d\\","","NULL"})");
  EXPECT_EQ(arguments[2].bytes, "{0.5,NULL}");
  EXPECT_EQ(arguments[3].bytes, "{1,0}");
  EXPECT_EQ(arguments[4].bytes, "{\"Poem\"}");
  EXPECT_EQ(arguments[5].bytes, "{}");
  EXPECT_EQ(decoded<std::vector<std::string>>(text_value(arguments[1].bytes)),
            (std::vector<std::string>{"a", "b, \"c\"", "d\\", "", "NULL"}));
  EXPECT_EQ(decoded<std::vector<std::optional<std::string>>>(text_value("{x,NULL}")),
            (std::vector<std::optional<std::string>>{"x", std::nullopt}));
  EXPECT_EQ(decoded<std::vector<std::string>>(text_value("{x,NULL}")), std::nullopt);
  EXPECT_EQ(decoded<std::vector<std::string>>(text_value("{}")), std::vector<std::string>());
  for (const char* wrong : {"", "{", "{a", "{a,}", "{a}b", "{{a}}", "[0:1]={1,2}"}) {
    EXPECT_EQ(decoded<std::vector<std::string>>(text_value(wrong)), std::nullopt) << wrong;
  }
  const std::vector<Value> items = {integer_value(1), integer_value(2)};
  EXPECT_EQ(decoded<std::vector<int>>(Value{ValueType::Array, 0, 0, {}, items}), (std::vector<int>{1, 2}));
  const std::vector<Value> with_null = {integer_value(1), Value{}};
  EXPECT_EQ(decoded<std::vector<int>>(Value{ValueType::Array, 0, 0, {}, with_null}), std::nullopt);
}

TEST(SqlCodec, appends_lists_of_arguments) {
  Arguments list;
  encode(list, "b");
  encode(list, 7);
  Arguments arguments;
  encode(arguments, "a");
  encode(arguments, list);
  ASSERT_EQ(arguments.size(), 3U);
  EXPECT_EQ(arguments[1].bytes, "b");
  EXPECT_EQ(arguments[2].integer, 7);
}

}  // namespace
}  // namespace tern::sql
