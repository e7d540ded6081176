#include "postgres/copy.hpp"

#include "postgres/driver.hpp"

#include <tern/postgres/copy.hpp>
#include <tern/sql/error.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tern {
namespace postgres {

Task<> Copy::start(std::string statement, bool literal) {
  check();
  if (sql::TracedStep::wanted()) {
    shown_ = sql::shown_text(statement, literal);
    step_.emplace("postgresql", "copy", coro::StepValue("db.query.text", shown_));
  }
  if (transaction_ != nullptr) {
    turn_.emplace(*transaction_);
  } else {
    lease_ = co_await driver_.lease();
  }
  slot_ = &connection().send_text(statement, this, Slot::Kind::Copy);
}

// The derived class's part of an end before the end.
void Copy::give_up() noexcept {
  if (slot_ != nullptr && get() != nullptr) {
    end_content();
    get()->session().resume();
    get()->abandon(*std::exchange(slot_, nullptr));
  }
  release();
  end_step(error_);
}

void Copy::end_step(const std::exception_ptr& error) noexcept {
  if (!step_) return;
  step_->set_rows(rows_);
  error ? step_->fail(error) : step_->end();
  step_.reset();
}

void Copy::release() noexcept {
  turn_.reset();
  lease_.release();
}

void Copy::detach() noexcept {
  give_up();
  transaction_ = nullptr;
  try {
    if (!error_) {
      error_ =
          std::make_exception_ptr(SqlError(SqlErrorKind::TransactionEnded, "the transaction of this COPY has ended"));
    }
  } catch (...) {
    error_ = std::current_exception();
  }
  changed_.set();
}

void Copy::check() const {
  if (error_) std::rethrow_exception(error_);
}

void Copy::on_complete(std::string_view tag) noexcept {
  rows_ = changed_rows(tag);
}

void Copy::on_error(const SqlError& error) noexcept {
  if (!error_) error_ = std::make_exception_ptr(error);
  changed_.set();
}

void Copy::on_ready() noexcept {
  slot_ = nullptr;
  changed_.set();
}

void Copy::on_lost(const std::exception_ptr& error) noexcept {
  slot_ = nullptr;
  error_ = error;
  changed_.set();
}

void Copy::on_detached() noexcept {
  slot_ = nullptr;
}

// --- In

CopyIn::~CopyIn() {
  give_up();
}

void CopyIn::end_content() noexcept {
  if (!std::exchange(open_, false)) return;
  try {
    get()->end_copy("abandoned");
  } catch (const std::bad_alloc&) {
    get()->lose("no memory");
  }
}

void CopyIn::on_copy_in() noexcept {
  open_ = true;
  changed_.set();
}

Task<> CopyIn::begin(std::string statement, bool literal) {
  co_await start(std::move(statement), literal);
  co_await changed_;
  check();
  if (!open_) throw SqlError(SqlErrorKind::Statement, "copy_in() takes COPY … FROM STDIN");
}

Task<> CopyIn::write(std::string_view bytes) {
  constexpr std::size_t part = 64 * 1024;
  while (!bytes.empty()) {
    check();
    Connection& used = connection();
    used.send_copy_data(bytes.substr(0, part));
    bytes.remove_prefix(std::min(part, bytes.size()));
    co_await used.session().writable();
  }
}

Task<std::int64_t> CopyIn::end(std::exception_ptr error) {
  if (slot_ != nullptr && open_) connection().end_copy(error ? "the producer has failed" : "");
  open_ = false;
  while (slot_ != nullptr) {
    changed_.reset();
    co_await changed_;
  }
  release();
  end_step(error ? error : error_);
  if (error) std::rethrow_exception(std::move(error));
  check();
  co_return rows_;
}

// --- Out

CopyOut::~CopyOut() {
  give_up();
}

void CopyOut::on_copy_data(std::string_view bytes) {
  parts_.emplace_back(bytes);
  bytes_ += bytes.size();
  if (bytes_ > max_queued) get()->session().pause();
  changed_.set();
}

Task<std::optional<std::string>> CopyOut::next() {
  try {
    std::optional<std::string> part = co_await read();
    if (!part) end_step(nullptr);
    co_return part;
  } catch (...) {
    end_step(std::current_exception());
    throw;
  }
}

Task<std::optional<std::string>> CopyOut::read() {
  if (!std::exchange(began_, true)) co_await start(std::move(statement_), literal_);
  while (parts_.empty()) {
    if (slot_ == nullptr) {
      release();
      check();
      co_return std::nullopt;
    }
    changed_.reset();
    co_await changed_;
  }
  std::string part = std::move(parts_.front());
  parts_.pop_front();
  bytes_ -= part.size();
  if (bytes_ < max_queued / 2 && slot_ != nullptr && get() != nullptr) get()->session().resume();
  co_return part;
}

}  // namespace postgres

CopyWriter::CopyWriter(postgres::PostgresDriver& driver, postgres::Transaction* transaction)
    : copy_(base::make_box<postgres::CopyIn>(driver, transaction)) {}

Task<> CopyWriter::write(std::string_view bytes) {
  return copy_->write(bytes);
}

Task<> CopyWriter::begin(std::string statement, bool literal) {
  return copy_->begin(std::move(statement), literal);
}

Task<std::int64_t> CopyWriter::end(std::exception_ptr error) {
  return copy_->end(std::move(error));
}

CopyReader::CopyReader(postgres::PostgresDriver& driver, postgres::Transaction* transaction, std::string statement,
                       bool literal)
    : copy_(base::make_box<postgres::CopyOut>(driver, transaction, std::move(statement), literal)) {}

Task<std::optional<std::string>> CopyReader::next() {
  return copy_->next();
}

}  // namespace tern
