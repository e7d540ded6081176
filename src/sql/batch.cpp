#include <tern/sql/batch.hpp>

#include <stdexcept>

namespace tern {
namespace sql {

void Step::take() {
  if (state != State::Done) {
    throw std::logic_error(state == State::Taken ? "the result of a statement was taken already"
                                                 : "a batch has no results until run() has returned");
  }
  state = State::Taken;
}

Task<> Queries::run(SqlBatch& batch) const {
  const Steps steps = batch.begin();
  if (steps.empty()) co_return;
  co_await detail::run_all(driver(), steps);
  batch.end();
}

}  // namespace sql

sql::Steps SqlBatch::begin() {
  if (std::exchange(began_, true)) throw std::logic_error("a batch runs once");
  return steps_;
}

void SqlBatch::end() noexcept {
  for (const auto& step : steps_) step->state = sql::Step::State::Done;
}

}  // namespace tern
