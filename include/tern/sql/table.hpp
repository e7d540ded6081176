// Structs as rows of a table: the statements of insert(), insert_all() and update().
//
// The members of a struct are the columns, by their names (JsonNames renames them); names are quoted, so that any name
// can be one. Parameters have the numbers of the members, so that statements differ only in their table and their
// struct.
#pragma once

#include <tern/app/pattern.hpp>
#include <tern/base/box.hpp>
#include <tern/json/reflect.hpp>
#include <tern/sql/codec.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sql/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tern {
namespace sql {

// A compiler that evaluates a call of one of these names it in its error: the names are the messages.
void the_name_of_a_table_is_empty_or_has_a_nul_or_several_dots();
void the_struct_has_no_member_of_this_name_for_a_key();
void a_key_may_not_be_an_optional_because_null_equals_nothing();
void all_members_are_keys_and_none_is_left_to_be_set();

// "book", or "shop.book" with a schema.
constexpr bool is_table_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  const bool has_schema = dot != std::string_view::npos;
  const bool whole = !has_schema || (dot != 0 && dot + 1 != name.size() && name.find('.', dot + 1) == name.npos);
  return !name.empty() && whole && name.find('\0') == std::string_view::npos;
}

}  // namespace sql

// The name of a table, as it is in the database: "book", or "shop.book" with a schema. A literal, or
// tern::runtime(name), which must not come from a client. Borrowed until the function that takes it has returned.
class SqlTable {
public:
  template <std::size_t N>
  consteval SqlTable(const char (&literal)[N])  // NOLINT: implicit
      : name_(literal, N - 1), literal_(true) {
    if (!sql::is_table_name(name_)) sql::the_name_of_a_table_is_empty_or_has_a_nul_or_several_dots();
  }
  // Throws SqlError (Statement) if it cannot be a name.
  SqlTable(const Runtime& name);  // NOLINT: implicit

  constexpr std::string_view name() const noexcept { return name_; }
  constexpr bool is_literal() const noexcept { return literal_; }

private:
  std::string_view name_;
  bool literal_ = false;
};

// The columns by which update() finds the row, as members of T: "id", or {"order", "line"}. Checked at compile time.
template <json::Aggregate T>
class SqlKeys {
public:
  template <std::size_t... N>
    requires(sizeof...(N) > 0)
  consteval SqlKeys(const char (&... names)[N]) {  // NOLINT: implicit
    ((members_ |= find(std::string_view(names, N - 1))), ...);
    constexpr std::size_t count = json::member_count<T>();
    if (members_ == UINT64_MAX >> (64 - count)) sql::all_members_are_keys_and_none_is_left_to_be_set();
  }

  // Bit I: member I is a key.
  constexpr std::uint64_t members() const noexcept { return members_; }

private:
  static consteval std::uint64_t find(std::string_view name) {
    constexpr auto optional = []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<bool, sizeof...(I)>{sql::detail::is_optional<json::MemberType<T, I>>...};
    }(std::make_index_sequence<json::member_count<T>()>{});
    const auto names = json::member_names<T>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name) continue;
      if (optional[i]) sql::a_key_may_not_be_an_optional_because_null_equals_nothing();
      return std::uint64_t{1} << i;
    }
    sql::the_struct_has_no_member_of_this_name_for_a_key();
    return 0;
  }

  std::uint64_t members_ = 0;
};

namespace sql::detail {

using Names = std::span<const std::string_view>;

// For errors: they name the table, and the column if they are about one.
struct Target {
  std::string table;
  Names columns;  // of the parameters, again and again
};

template <class T>
consteval bool is_written() {
  if constexpr (is_optional<T>) {
    return is_written<typename T::value_type>();
  } else {
    return ColumnType<T> || (!std::is_pointer_v<T> && (std::is_convertible_v<const T&, std::string_view> ||
                                                       std::is_convertible_v<const T&, std::span<const std::byte>>));
  }
}

template <class T>
inline constexpr bool is_row = []<std::size_t... I>(std::index_sequence<I...>) {
  return sizeof...(I) != 0 && (is_written<json::MemberType<T, I>>() && ...);
}(std::make_index_sequence<json::member_count<T>()>{});

[[noreturn]] void rethrow_for_member(const SqlError& error, std::string_view table, std::string_view column);

// The members of `row` as arguments. Errors name the member.
template <class T>
void encode_row(Arguments& arguments, std::string_view table, const T& row) {
  static_assert(
      is_row<T>,
      "tern: a row to be written is a struct, whose members are numbers, bools, text, blobs "
      "(std::vector<std::byte>), enumerations, times or dates, Uuids, Json<T>, std::optional or std::vector of "
      "these, or types with an SqlCodec");
  std::size_t at = 0;
  try {
    json::for_each_member(row, [&](std::string_view, const auto& member, auto) {
      encode(arguments, member);
      ++at;
    });
  } catch (const SqlError& error) {
    rethrow_for_member(error, table, json::member_names<T>()[at]);
  }
}

// insert into "book" ("title", "year") values ($1, $2), ($3, $4) returning "id"
std::string insert_text(std::string_view table, Names columns, std::size_t rows, Names returning);
// update "book" set "title" = $2, "year" = $3 where "id" = $1 returning "id"
std::string update_text(std::string_view table, Names columns, std::uint64_t keys, Names returning);

// As run(), with errors that name the table.
Task<std::int64_t> write(Driver& driver, const Call& call, RowReader* rows, const Target& target);
Task<std::int64_t> write(Driver& driver, Call call, Target target);

template <class R>
Names returned() {
  static_assert(json::Aggregate<R>,
                "tern: what insert() and update() return is a struct, whose members are the columns: struct Id { "
                "std::int64_t id; }");
  return json::member_names<R>();
}

// Without R: the number of rows.
template <class R, class T>
Call insert_call(SqlTable table, const T& row) {
  constexpr bool returns = !std::is_void_v<R>;
  Names returning;
  if constexpr (returns) returning = returned<R>();
  Arguments arguments;
  encode_row(arguments, table.name(), row);
  return Call::made(returns ? CallKind::Query : CallKind::Execute,
                    insert_text(table.name(), json::member_names<T>(), 1, returning), table.is_literal(),
                    std::move(arguments));
}

template <class R, class T>
Call update_call(SqlTable table, const T& row, SqlKeys<T> keys) {
  constexpr bool returns = !std::is_void_v<R>;
  Names returning;
  if constexpr (returns) returning = returned<R>();
  Arguments arguments;
  encode_row(arguments, table.name(), row);
  return Call::made(returns ? CallKind::Query : CallKind::Execute,
                    update_text(table.name(), json::member_names<T>(), keys.members(), returning), table.is_literal(),
                    std::move(arguments));
}

template <class T>
Target target_of(SqlTable table) {
  return {std::string(table.name()), json::member_names<T>()};
}

// The statements of insert_all(): as many rows each as is cheap, with few different texts, so that they are prepared.
class Insertion {
public:
  Insertion(SqlTable table, Names columns, std::size_t rows);

  // For the arguments of the next row; the last of them is followed by end().
  Arguments& next();
  void end();

  std::string_view table() const noexcept { return target_.table; }
  static Task<std::int64_t> run(Driver& driver, Insertion insertion);

private:
  struct Form {
    std::size_t rows;
    std::string text;  // empty until it is used
  };

  Target target_;
  std::vector<Form> forms_;  // the largest first; they do not move
  std::size_t left_;         // rows to come
  Form* form_ = nullptr;     // of the statement that is being made
  std::size_t filled_ = 0;   // rows of it
  Arguments arguments_;
  std::vector<base::Box<Step>> steps_;
};

template <class T>
Insertion insertion_of(SqlTable table, std::span<const T> rows) {
  Insertion insertion(table, json::member_names<T>(), rows.size());
  for (const T& row : rows) encode_row(insertion.next(), insertion.table(), row);
  insertion.end();
  return insertion;
}

}  // namespace sql::detail
}  // namespace tern
