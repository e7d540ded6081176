// The prepared statements of one connection, by their text.
#pragma once

#include "postgres/types.hpp"

#include <tern/coro/list.hpp>
#include <tern/sql/value.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tern::postgres {

class StatementWait;

struct Prepared {
  std::string text;
  std::string name;  // in the database; empty: the text is sent each time
  bool ready = false;
  bool dropped = false;    // not found any longer
  std::size_t in_use = 0;  // slots that refer to it
  std::vector<Type> parameters;
  std::vector<Type> types;            // of the columns
  bool has_other_formats = false;     // the columns of the last description have others than those that are asked for
  std::vector<std::string> names;     // of the columns, and of their types
  std::vector<sql::Column> columns;   // views of `names`
  coro::List<StatementWait> waiting;  // until it is ready

  // The body of a ParameterDescription or of a RowDescription. False if it is malformed.
  bool describe_parameters(std::string_view body);
  bool describe_columns(std::string_view body);
};

// Keeps those that were used last.
class PreparedStatements {
public:
  explicit PreparedStatements(std::size_t max) noexcept : max_(max) {}

  // Null if there is none.
  Prepared* find(std::string_view text) noexcept;
  Prepared& add(std::string_view text, bool named);
  // If there are too many: the one that was used least recently and is not in use, but never the one that was used
  // last. Otherwise null.
  Prepared* surplus() noexcept;
  // It is not found any longer, and is destroyed when it is not in use.
  void drop(Prepared& prepared) noexcept;
  // After its `in_use` has changed.
  void release(Prepared& prepared) noexcept;
  void clear() noexcept;

private:
  using List = std::list<Prepared>;

  std::size_t max_;
  std::uint64_t last_number_ = 0;
  List used_;  // the last used first
  List dropped_;
  std::unordered_map<std::string_view, List::iterator> by_text_;
};

}  // namespace tern::postgres
