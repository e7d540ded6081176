// SqlBatch: several statements with one round trip, which take effect together.
#pragma once

#include <tern/base/box.hpp>
#include <tern/sql/driver.hpp>
#include <tern/sql/queries.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tern {

// The result of one statement of a batch. Refers to its batch.
template <class R>
class BatchResult {
public:
  using Take = R (*)(sql::Step& step);
  BatchResult(sql::Step& step, Take convert) noexcept : step_(&step), convert_(convert) {}

  // Once, when the batch has run: otherwise std::logic_error. Throws SqlError as the function of Queries with the name
  // of the batch's does (NoRow, TooManyRows).
  R take() {
    step_->take();
    return convert_(*step_);
  }

private:
  sql::Step* step_;
  Take convert_;
};

// Statements of one caller that are sent together: one round trip, and one commit. If one of them fails, none has an
// effect. Each sees what those before it have changed.
//
//   tern::SqlBatch batch;
//   auto book = batch.one<Book>("select … where id = $1", id);
//   auto changed = batch.execute("update …", …);
//   co_await db.run(batch);
//   use(book.take(), changed.take());
//
// Runs once. Must outlive its results, and db.run().
class SqlBatch {
public:
  template <sql::RowType T, class... A>
  BatchResult<std::vector<T>> query(SqlText<sizeof...(A)> text, const A&... arguments) {
    return {add<T>(SIZE_MAX, query_call(text, arguments...)),
            [](sql::Step& step) { return std::move(rows_of<T>(step)); }};
  }
  template <sql::RowType T, class... A>
  BatchResult<T> one(SqlText<sizeof...(A)> text, const A&... arguments) {
    return one_row<T>(query_call(text, arguments...));
  }
  template <sql::RowType T, class... A>
  BatchResult<std::optional<T>> optional(SqlText<sizeof...(A)> text, const A&... arguments) {
    return optional_row<T>(query_call(text, arguments...));
  }
  template <sql::ColumnType T, class... A>
  BatchResult<T> scalar(SqlText<sizeof...(A)> text, const A&... arguments) {
    return one<T>(text, arguments...);
  }
  template <class... A>
  BatchResult<std::int64_t> execute(SqlText<sizeof...(A)> text, const A&... arguments) {
    return changed(sql::detail::make_call(sql::CallKind::Execute, text, arguments...));
  }

  // As those of Queries.
  template <class R = void, json::Aggregate T>
  BatchResult<typename sql::detail::Writing<R>::Inserted> insert(SqlTable table, const T& row) {
    if constexpr (std::is_void_v<R>) {
      return changed(sql::detail::insert_call<R>(table, row));
    } else {
      return one_row<R>(sql::detail::insert_call<R>(table, row));
    }
  }
  template <class R = void, json::Aggregate T>
  BatchResult<typename sql::detail::Writing<R>::Updated> update(SqlTable table, const T& row,
                                                                SqlKeys<std::type_identity_t<T>> keys) {
    if constexpr (std::is_void_v<R>) {
      return changed(sql::detail::update_call<R, T>(table, row, keys));
    } else {
      return optional_row<R>(sql::detail::update_call<R, T>(table, row, keys));
    }
  }

  // The number of statements.
  std::size_t size() const noexcept { return steps_.size(); }
  // For Queries::run(): the statements, which have not run yet. Throws std::logic_error if they have.
  sql::Steps begin();
  void end() noexcept;

private:
  template <sql::RowType T>
  struct RowsStep final : sql::Step {
    RowsStep(sql::Call made, std::size_t max) : sql::Step(std::move(made), &collector), collector(max) {}
    sql::RowCollector<T> collector;
  };
  template <sql::RowType T>
  static std::vector<T>& rows_of(sql::Step& step) {
    return static_cast<RowsStep<T>&>(step).collector.rows;
  }
  template <std::size_t Count, class... A>
  static sql::Call query_call(SqlText<Count> text, const A&... arguments) {
    return sql::detail::make_call(sql::CallKind::Query, text, arguments...);
  }
  template <sql::RowType T>
  sql::Step& add(std::size_t max, sql::Call call) {
    steps_.push_back(base::Box<sql::Step>(new RowsStep<T>(std::move(call), max)));
    return *steps_.back();
  }
  BatchResult<std::int64_t> changed(sql::Call call) {
    steps_.push_back(base::make_box<sql::Step>(std::move(call), nullptr));
    return {*steps_.back(), [](sql::Step& step) { return step.changed; }};
  }
  template <sql::RowType T>
  BatchResult<T> one_row(sql::Call call) {
    return {add<T>(2, std::move(call)), [](sql::Step& step) -> T {
              sql::detail::expect_one_row(rows_of<T>(step).size(), step.call.text());
              return std::move(rows_of<T>(step).front());
            }};
  }
  template <sql::RowType T>
  BatchResult<std::optional<T>> optional_row(sql::Call call) {
    return {add<T>(2, std::move(call)), [](sql::Step& step) {
              sql::detail::expect_at_most_one_row(rows_of<T>(step).size(), step.call.text());
              std::optional<T> row;
              if (!rows_of<T>(step).empty()) row.emplace(std::move(rows_of<T>(step).front()));
              return row;
            }};
  }

  std::vector<base::Box<sql::Step>> steps_;
  bool began_ = false;
};

}  // namespace tern
