// Statements as steps of the current context, by OpenTelemetry's names ("Semantic Conventions for database client
// spans"). Without a context, as for requests without a trace, nothing is done.
#include <tern/sql/queries.hpp>

#include <tern/base/ascii.hpp>
#include <tern/coro/context.hpp>
#include <tern/coro/wait_log.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <string>

namespace tern::sql::detail {
namespace {

constexpr std::size_t max_text = 1024;

// What is recorded when it ends. Its views are of the call.
class Statement {
public:
  Statement(coro::Context& context, const Driver& driver, std::string_view operation, coro::StepValue detail) noexcept
      : context_(context), system_(driver.system()), operation_(operation), detail_(detail) {}

  void end(std::string_view state, std::string_view fault) const noexcept {
    const std::array<coro::StepValue, 4> values = {
        {{"db.system.name", system_}, {"db.operation.name", operation_}, detail_, {"db.response.status_code", state}}};
    const std::size_t count = state.empty() ? values.size() - 1 : values.size();
    context_.record({operation_, coro::WaitLog::now() - began_, fault, std::span(values).first(count)});
  }
  // Within a handler of exceptions.
  void fail() const {
    try {
      throw;
    } catch (const SqlError& error) {
      end(error.sqlstate(), error.what());
    } catch (const std::exception& error) {
      end({}, error.what());
    } catch (...) {
      end({}, "an exception");
    }
  }

private:
  coro::Context& context_;
  const std::string_view system_;
  const std::string_view operation_;
  const coro::StepValue detail_;
  const std::uint64_t began_ = coro::WaitLog::now();
};

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

// Only literals: a text that is made by the program may have values in it. Never those of parameters.
std::string_view shown_text(const Call& call) noexcept {
  return call.is_literal() ? call.text().substr(0, max_text) : std::string_view("?");
}

Task<std::int64_t> run_as_step(coro::Context& context, Driver& driver, const Call& call, RowReader* rows) {
  const Statement statement(context, driver, operation_of(call), {"db.query.text", shown_text(call)});
  try {
    const std::int64_t changed = co_await driver.run(call, rows);
    statement.end({}, {});
    co_return changed;
  } catch (...) {
    statement.fail();
    throw;
  }
}

Task<> run_all_as_step(coro::Context& context, Driver& driver, Steps steps) {
  const Statement statement(context, driver, "batch",
                            {"db.operation.batch.size", static_cast<std::int64_t>(steps.size())});
  try {
    co_await driver.run_all(steps);
    statement.end({}, {});
  } catch (...) {
    statement.fail();
    throw;
  }
}

}  // namespace

Task<std::int64_t> run(Driver& driver, const Call& call, RowReader* rows) {
  coro::Context* const context = coro::Context::current();
  return context == nullptr ? driver.run(call, rows) : run_as_step(*context, driver, call, rows);
}

Task<> run_all(Driver& driver, Steps steps) {
  coro::Context* const context = coro::Context::current();
  return context == nullptr ? driver.run_all(steps) : run_all_as_step(*context, driver, steps);
}

}  // namespace tern::sql::detail
