// Types of columns and arguments against a real PostgreSQL.
#include "postgres/postgres_testing.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace tern::postgres {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using ::testing::HasSubstr;
using SysMicros = std::chrono::sys_time<std::chrono::microseconds>;

enum class Mood { Happy, Sad };

struct Address {
  std::string city;
  int code = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

class PostgresTypes : public PostgresTest {
protected:
  PostgresTypes() { begin(); }

  // What the database makes of an argument, and returns.
  template <class T>
  T through(std::string type, T value) {
    return run([&]() -> Task<T> { co_return co_await db.scalar<T>(runtime("select $1::" + type), value); });
  }
  template <class T>
  T read(std::string text) {
    return run([&]() -> Task<T> { co_return co_await db.scalar<T>(runtime("select " + text)); });
  }
  template <class T>
  Failure refusal(std::string text) {
    return error_of([&]() -> Task<> { co_await db.scalar<T>(runtime("select " + text)); });
  }
};

TEST_F(PostgresTypes, numbers) {
  EXPECT_EQ(through<std::int16_t>("int2", -32768), -32768);
  EXPECT_EQ(through<int>("int4", std::numeric_limits<int>::min()), std::numeric_limits<int>::min());
  EXPECT_EQ(through<std::int64_t>("int8", std::numeric_limits<std::int64_t>::max()),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(through<int>("numeric", -7), -7);
  EXPECT_EQ(through<std::string>("numeric", "123456789012345678901234567890.12345"),
            "123456789012345678901234567890.12345");
  EXPECT_EQ(through<double>("float8", 0.1), 0.1);
  EXPECT_EQ(through<float>("float4", 0.1F), 0.1F);
  EXPECT_TRUE(std::isnan(through<double>("float8", std::nan(""))));
  EXPECT_EQ(through<double>("float8", -std::numeric_limits<double>::infinity()),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(through<bool>("bool", true), true);
  EXPECT_EQ(read<std::int64_t>("sum(x) from (values (1::bigint), (2)) as t (x)"), 3);
  EXPECT_EQ(read<double>("1.25::numeric"), 1.25);
}

TEST_F(PostgresTypes, numbers_that_do_not_fit_are_errors) {
  EXPECT_EQ(refusal<std::int16_t>("70000").kind, SqlErrorKind::Column);
  EXPECT_EQ(refusal<unsigned>("-1").kind, SqlErrorKind::Column);
  EXPECT_THAT(refusal<int>("1.5::numeric").what, HasSubstr("NUMERIC 1.5"));
  EXPECT_THAT(refusal<int>("'NaN'::numeric").what, HasSubstr("NaN"));
  EXPECT_TRUE(std::isnan(read<double>("'NaN'::numeric")));
  EXPECT_EQ(read<std::string>("'NaN'::numeric"), "NaN");
  EXPECT_THAT(error_of([&] { return db.scalar<int>("select $1::int2", 40'000); }).what, HasSubstr("smallint"));
  EXPECT_EQ(error_of([&] { return db.scalar<int>("select $1::int4", 3'000'000'000); }).kind, SqlErrorKind::Parameter);
}

TEST_F(PostgresTypes, text_is_utf8_without_nul) {
  EXPECT_EQ(through<std::string>("text", "\xE2\x82\xAC 'x'"), "\xE2\x82\xAC 'x'");
  EXPECT_EQ(through<std::string>("varchar", ""), "");
  EXPECT_EQ(error_of([&]() -> Task<> { co_await db.execute("select $1::text", std::string("a\0b", 3)); }).kind,
            SqlErrorKind::Text);
  EXPECT_EQ(error_of([&]() -> Task<> { co_await db.execute("select $1::text", "\xFF"); }).kind, SqlErrorKind::Text);
}

TEST_F(PostgresTypes, bytes) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(through("bytea", bytes), bytes);
  EXPECT_EQ(through("bytea", std::vector<std::byte>{}), std::vector<std::byte>{});
}

TEST_F(PostgresTypes, null) {
  EXPECT_EQ(through<std::optional<int>>("int4", std::nullopt), std::nullopt);
  EXPECT_EQ(through<std::optional<int>>("int4", 3), 3);
  EXPECT_THAT(refusal<int>("null::int4").what, HasSubstr("NULL"));
}

TEST_F(PostgresTypes, times) {
  const sys_seconds second = sys_days(2024y / 2 / 29) + 12h;
  EXPECT_EQ(through("timestamptz", second), second);
  EXPECT_EQ(through("timestamp", second), second);
  EXPECT_EQ(through("timestamptz", SysMicros(second + 1us)), SysMicros(second + 1us));
  EXPECT_EQ(through("date", sys_days(1969y / 12 / 31)), sys_days(1969y / 12 / 31));
  EXPECT_EQ(through("date", std::chrono::year_month_day(1y / 1 / 1)), std::chrono::year_month_day(1y / 1 / 1));
  EXPECT_EQ(read<sys_seconds>("'2024-02-29 13:00+01'::timestamptz"), second);
  EXPECT_EQ(read<std::string>("'2024-02-29 12:00Z'::timestamptz"), "2024-02-29T12:00:00.000000Z");
  EXPECT_EQ(refusal<sys_seconds>("'2024-02-29 12:00:00.5Z'::timestamptz").kind, SqlErrorKind::Column);
  EXPECT_EQ(read<std::string>("'1 day 2 hours'::interval"), "1 day 02:00:00");
}

TEST_F(PostgresTypes, infinite_times_are_errors_or_text) {
  EXPECT_THAT(refusal<sys_seconds>("'infinity'::timestamptz").what, HasSubstr("infinity"));
  EXPECT_THAT(refusal<sys_days>("'-infinity'::date").what, HasSubstr("-infinity"));
  EXPECT_EQ(read<std::string>("'infinity'::timestamp"), "infinity");
}

TEST_F(PostgresTypes, uuids) {
  const Uuid uuid = *Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  EXPECT_EQ(through("uuid", uuid), uuid);
  EXPECT_EQ(read<std::string>("'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid"), "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
}

TEST_F(PostgresTypes, enumerations) {
  run([&] { return db.script("create type mood as enum ('Happy', 'Sad')"); });
  EXPECT_EQ(through("mood", Mood::Sad), Mood::Sad);
  EXPECT_EQ(through("mood[]", std::vector{Mood::Sad, Mood::Happy}), (std::vector{Mood::Sad, Mood::Happy}));
  EXPECT_EQ(refusal<Mood>("'Angry'").kind, SqlErrorKind::Column);
}

TEST_F(PostgresTypes, json) {
  const Json<Address> address{{{"Bern", 3000}}};
  EXPECT_EQ(through("jsonb", address).value, address.value);
  EXPECT_EQ(through("json", address).value, address.value);
  EXPECT_EQ(refusal<Json<Address>>("'[]'::jsonb").kind, SqlErrorKind::Column);
  EXPECT_EQ(read<std::string>("'[1, 2]'::jsonb"), "[1, 2]");
}

TEST_F(PostgresTypes, json_that_is_passed_on) {
  struct Line {
    int id = 0;
    json::RawView tags;
    std::optional<json::RawView> note;
  };
  EXPECT_EQ(through("jsonb", json::Raw{R"({"a":1})"}).text, R"({"a": 1})");
  EXPECT_EQ(through("json", json::Raw{R"({"a":1})"}).text, R"({"a":1})");
  EXPECT_EQ(read<json::Raw>("'[1, 2]'::text").text, "[1,2]");
  EXPECT_EQ(refusal<json::Raw>("'[1, 2'::text").kind, SqlErrorKind::Column);
  const json::Raw open{"["};
  EXPECT_EQ(error_of([&]() -> Task<> { co_await db.execute("select $1::jsonb", open); }).state, "22P02");
  const auto lines = run([&]() -> Task<Rows<Line>> {
    auto found = co_await db.rows<Line>(
        "select x as id, to_jsonb(array[x, x + 1]) as tags, case x when 2 then '{}'::json end as note "
        "from generate_series(1, 2000) as x");
    co_await db.query<std::string>("select repeat('other', 1000) from generate_series(1, 300)");
    co_return found;
  });
  ASSERT_EQ(lines.size(), 2000U);
  EXPECT_EQ(lines[1999].tags.text, "[2000, 2001]");
  EXPECT_EQ(lines[0].note, std::nullopt);
  EXPECT_EQ(lines[1].note->text, "{}");
}

TEST_F(PostgresTypes, arrays) {
  EXPECT_EQ(through("int4[]", std::vector{1, -2, 3}), (std::vector{1, -2, 3}));
  EXPECT_EQ(through("int8[]", std::vector<std::int64_t>{}), std::vector<std::int64_t>{});
  EXPECT_EQ(through("text[]", std::vector<std::string>{"a", "b\"c\\d,{}", ""}),
            (std::vector<std::string>{"a", "b\"c\\d,{}", ""}));
  EXPECT_EQ(through("float8[]", std::vector{0.5, -1e300}), (std::vector{0.5, -1e300}));
  EXPECT_EQ(through("bool[]", std::vector{true, false}), (std::vector{true, false}));
  EXPECT_EQ(through("int4[]", std::vector<std::optional<int>>{1, std::nullopt}),
            (std::vector<std::optional<int>>{1, std::nullopt}));
  EXPECT_EQ(through("numeric[]", std::vector<std::string>{"0.10", "NaN"}), (std::vector<std::string>{"0.10", "NaN"}));
  EXPECT_EQ(through("date[]", std::vector{sys_days(2024y / 1 / 2)}), (std::vector{sys_days(2024y / 1 / 2)}));
  EXPECT_EQ(run([&] {
              return db.scalar<std::int64_t>("select count(*) from generate_series(1, 9) as x where x = any($1)",
                                             std::vector{2, 3, 99});
            }),
            2);
  EXPECT_EQ(refusal<std::vector<int>>("array[[1, 2], [3, 4]]").kind, SqlErrorKind::Column);
  EXPECT_EQ(refusal<std::vector<int>>("array[1, null]").kind, SqlErrorKind::Column);
}

TEST_F(PostgresTypes, up_to_65535_arguments) {
  const auto count = [&](std::size_t size) {
    return run([&]() -> Task<std::string> {
      sql::Arguments arguments;
      std::string text = "select count(*) from (values ($1::int)";
      for (std::size_t i = 1; i < size; ++i) text += ",($" + std::to_string(i + 1) + ")";
      for (std::size_t i = 0; i < size; ++i) arguments.add_integer(static_cast<std::int64_t>(i));
      text += ") as t (x)";
      try {
        co_return std::to_string(co_await db.scalar<std::int64_t>(runtime(text), arguments));
      } catch (const SqlError& error) {
        co_return error.what();
      }
    });
  };
  EXPECT_EQ(count(65'535), "65535");
  EXPECT_THAT(count(65'536), HasSubstr("up to 65,535 arguments, not 65536"));
  EXPECT_THAT(error_of([&]() -> Task<> { co_await db.execute(runtime("select $1::int, $2::int"), 1); }).what,
              HasSubstr("2 parameters gets 1 arguments"));
}

}  // namespace
}  // namespace tern::postgres
