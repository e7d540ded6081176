#include "postgres/statement.hpp"

#include "postgres/connection.hpp"
#include "postgres/pool.hpp"
#include "postgres/text.hpp"

#include <utility>

namespace tern::postgres {

// --- One statement

StatementWait::~StatementWait() {
  if (waits()) leave();
}

bool StatementWait::enter() noexcept {
  try {
    if (pool_ != nullptr) {
      pool_->start(*this);
    } else {
      connection_->start(*this);
    }
    return true;
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
}

bool StatementWait::leave() noexcept {
  if (Hook<StatementWait>::linked()) {
    Hook<StatementWait>::unlink();
    connection_ != nullptr ? connection_->forget_waiting(*this) : pool_->forget_waiting();
  } else if (slot_ != nullptr) {
    connection_->abandon(*std::exchange(slot_, nullptr));
  }
  return true;
}

void StatementWait::on_columns(std::span<const sql::Column> columns) noexcept {
  sql::RowReader* const rows = reader();
  if (std::exchange(has_columns_, true) || rows == nullptr || error_) return;
  try {
    rows->columns(columns);
  } catch (...) {
    error_ = std::current_exception();
  }
}

// A portal passes on all rows: their number is limited by the database.
void StatementWait::on_row(std::span<const sql::Column> columns, std::span<const sql::Value> values) noexcept {
  has_rows_ = true;
  if (!has_columns_) on_columns(columns);
  sql::RowReader* const rows = reader();
  if (rows == nullptr || error_ || enough_) return;
  try {
    enough_ = !rows->row(columns, values) && portal_ == nullptr;
  } catch (...) {
    error_ = std::current_exception();
  }
}

void StatementWait::on_suspended() noexcept {
  if (portal_ != nullptr) portal_->suspended = true;
}

void StatementWait::on_complete(std::string_view tag) noexcept {
  changed_ = changed_rows(tag);
  if (step_ >= steps_.size()) return;
  steps_[step_++]->changed = changed_;
  has_columns_ = false;
  enough_ = false;
}

void StatementWait::rewind() noexcept {
  repeated_ = true;
  error_ = nullptr;
  slot_ = nullptr;
  step_ = 0;
  has_columns_ = false;
  enough_ = false;
}

void StatementWait::on_error(const SqlError& error) noexcept {
  if (!error_) error_ = std::make_exception_ptr(error);
}

void StatementWait::on_ready() noexcept {
  slot_ = nullptr;
  wake();
}

void StatementWait::on_lost(const std::exception_ptr& error) noexcept {
  fail(error);
}

void StatementWait::fail(std::exception_ptr error) noexcept {
  slot_ = nullptr;
  error_ = std::move(error);
  wake();
}

std::int64_t StatementWait::await_resume() {
  const auto end = [this] {
    check();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  };
  counters_.count_failure(end);
  if (portal_ == nullptr || !portal_->suspended) counters_.count_success();
  return changed_;
}

// --- Text

TextWait::~TextWait() {
  if (waits()) leave();
}

bool TextWait::enter() noexcept {
  try {
    if (!connection_.is_open()) throw SqlError(SqlErrorKind::Unavailable, "the connection to PostgreSQL is lost");
    slot_ = &connection_.send_text(text_, this);
    return true;
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
}

bool TextWait::leave() noexcept {
  if (slot_ != nullptr) connection_.abandon(*std::exchange(slot_, nullptr));
  return true;
}

void TextWait::on_complete(std::string_view tag) noexcept {
  changed_ += changed_rows(tag);
  rolled_back_ = tag == "ROLLBACK";
}

void TextWait::on_error(const SqlError& error) noexcept {
  if (!error_) error_ = std::make_exception_ptr(error);
}

void TextWait::on_ready() noexcept {
  slot_ = nullptr;
  wake();
}

void TextWait::on_lost(const std::exception_ptr& error) noexcept {
  slot_ = nullptr;
  error_ = error;
  wake();
}

TextResult TextWait::await_resume() {
  check();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return {changed_, rolled_back_};
}

}  // namespace tern::postgres
