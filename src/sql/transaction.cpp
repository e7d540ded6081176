#include <tern/sql/error.hpp>
#include <tern/sql/transaction.hpp>

#include <string>
#include <utility>

namespace tern::sql {

// A rollback that fails is repeated by the driver's destructor, which does not fail.
Task<> Transaction::end(std::exception_ptr error) {
  if (!error) co_return co_await driver_->commit();
  try {
    co_await driver_->rollback();
  } catch (...) {
    driver_.reset();
  }
  std::rethrow_exception(std::move(error));
}

Task<> Transaction::Savepoint::begin() {
  open_ = true;  // even if it fails, perhaps after the database has begun it
  const std::string name = std::to_string(transaction_.depth_);
  co_await transaction_.script(runtime("savepoint tern_" + name));
}

Task<> Transaction::Savepoint::end(std::exception_ptr error) {
  const std::string name = std::to_string(transaction_.depth_);
  try {
    if (error) co_await transaction_.script(runtime("rollback to tern_" + name));
    co_await transaction_.script(runtime("release tern_" + name));
    open_ = false;
  } catch (...) {
    if (!error) throw;
  }
  if (error) std::rethrow_exception(std::move(error));
}

Transaction::Savepoint::~Savepoint() {
  --transaction_.depth_;
  if (open_) transaction_.driver_->fail();
}

}  // namespace tern::sql
