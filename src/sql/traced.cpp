#include "sql/traced.hpp"

#include <tern/base/ascii.hpp>
#include <tern/sql/error.hpp>
#include <tern/sql/queries.hpp>
#include <tern/sql/transaction.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace tern::sql {

void TracedStep::record(std::string_view state, std::string_view fault) const noexcept {
  coro::Context* const context = coro::Context::current();
  if (context == nullptr) return;
  std::array<coro::StepValue, 5> values = {
      {{"db.system.name", system_}, {"db.operation.name", operation_}, detail_, detail_, detail_}};
  std::size_t count = 3;
  if (rows_ >= 0) values[count++] = {"db.response.returned_rows", rows_};
  if (!state.empty()) values[count++] = {"db.response.status_code", state};
  context->record({operation_, coro::WaitLog::now() - began_, fault, std::span(values).first(count)});
}

void TracedStep::fail(const std::exception_ptr& error) const noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const SqlError& failure) {
    record(failure.sqlstate(), failure.what());
  } catch (const std::exception& failure) {
    record({}, failure.what());
  } catch (...) {
    record({}, "an exception");
  }
}

std::string_view shown_text(std::string_view text, bool literal) noexcept {
  constexpr std::size_t max_text = 1024;
  return literal ? text.substr(0, max_text) : std::string_view("?");
}

namespace detail {
namespace {

// The first word: "select".
std::string_view operation_of(const Call& call) noexcept {
  if (call.kind() == CallKind::Script) return "script";
  const std::string_view text = call.text();
  std::size_t begin = 0;
  while (begin < text.size() && !base::is_alpha(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && base::is_alpha(text[end])) ++end;
  return begin == end ? std::string_view("statement") : text.substr(begin, end - begin);
}

TracedStep step_of(const Driver& driver, const Call& call) noexcept {
  return {driver.system(), operation_of(call), {"db.query.text", shown_text(call.text(), call.is_shown())}};
}

template <class T>
Task<T> as_step(TracedStep step, Task<T> work) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(work);
      step.end();
    } else {
      T result = co_await std::move(work);
      step.end();
      co_return result;
    }
  } catch (...) {
    step.fail(std::current_exception());
    throw;
  }
}

class CountedRows final : public RowReader {
public:
  explicit CountedRows(RowReader& rows) noexcept : rows_(rows) {}
  void columns(std::span<const Column> columns) override { rows_.columns(columns); }
  bool row(std::span<const Column> columns, std::span<const Value> values) override {
    ++count;
    return rows_.row(columns, values);
  }

  std::int64_t count = 0;

private:
  RowReader& rows_;
};

// A step from the first fetch to the end of the rows, or until they are given up; what reads them is in it.
class TracedCursor final : public Cursor {
public:
  TracedCursor(Driver& driver, Call call)
      : system_(driver.system()),
        operation_(operation_of(call)),
        text_(call.is_literal() ? shown_text(call.text(), true) : shown_text({}, false)),
        cursor_(driver.open(std::move(call))) {}
  ~TracedCursor() override {
    if (step_) step_->end();
  }

  Task<bool> fetch(RowReader& rows) override {
    if (!step_) step_.emplace(system_, operation_, coro::StepValue("db.query.text", text_));
    CountedRows counted(rows);
    try {
      const bool more = co_await cursor_->fetch(counted);
      step_->set_rows(rows_ += counted.count);
      if (!more) end();
      co_return more;
    } catch (...) {
      step_->fail(std::current_exception());
      step_.reset();
      throw;
    }
  }

private:
  void end() noexcept {
    step_->end();
    step_.reset();
  }

  std::string_view system_;
  std::string operation_;
  std::string_view text_;  // a literal
  base::Box<Cursor> cursor_;
  std::int64_t rows_ = 0;
  std::optional<TracedStep> step_;  // while there are rows
};

}  // namespace

Task<std::int64_t> run(Driver& driver, const Call& call, RowReader* rows) {
  if (!TracedStep::wanted()) return driver.run(call, rows);
  return as_step(step_of(driver, call), driver.run(call, rows));
}

Task<> run_all(Driver& driver, Steps steps) {
  if (!TracedStep::wanted()) return driver.run_all(steps);
  const coro::StepValue size("db.operation.batch.size", static_cast<std::int64_t>(steps.size()));
  return as_step(TracedStep(driver.system(), "batch", size), driver.run_all(steps));
}

base::Box<Cursor> open(Driver& driver, Call call) {
  if (!TracedStep::wanted()) return driver.open(std::move(call));
  return base::Box<Cursor>(new TracedCursor(driver, std::move(call)));
}

Task<base::Box<TransactionDriver>> begin(DatabaseDriver& driver, TransactionOptions options) {
  if (!TracedStep::wanted()) return driver.begin(options);
  return as_step(TracedStep(driver.system(), "begin", {"db.query.text", "begin"}), driver.begin(options));
}

Task<> commit(TransactionDriver& driver) {
  if (!TracedStep::wanted()) return driver.commit();
  return as_step(TracedStep(driver.system(), "commit", {"db.query.text", "commit"}), driver.commit());
}

Task<> rollback(TransactionDriver& driver) {
  if (!TracedStep::wanted()) return driver.rollback();
  return as_step(TracedStep(driver.system(), "rollback", {"db.query.text", "rollback"}), driver.rollback());
}

}  // namespace detail
}  // namespace tern::sql
