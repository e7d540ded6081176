// CopyIn and CopyOut: a COPY on a connection of its own, or that of a transaction.
#pragma once

#include "postgres/connection.hpp"
#include "postgres/lease.hpp"
#include "postgres/transaction.hpp"
#include "sql/traced.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace tern::postgres {

class PostgresDriver;

// What both have: the connection, the slot, and how it has ended.
class Copy : protected Receiver, private TransactionPart {
protected:
  // `transaction` may be null.
  Copy(PostgresDriver& driver, Transaction* transaction) : driver_(driver), transaction_(transaction) {
    if (transaction != nullptr) transaction->add(*this);
  }
  ~Copy() {
    if (transaction_ != nullptr) transaction_->remove(*this);
  }

  // `literal`: a trace may show it.
  Task<> start(std::string statement, bool literal);
  // The step of the trace ends, with an error or none.
  void end_step(const std::exception_ptr& error) noexcept;
  // The derived class's destructor calls it.
  void give_up() noexcept;
  // Throws the error of the database.
  void check() const;
  // Throws SqlError if it is lost.
  Connection& connection() const { return transaction_ != nullptr ? transaction_->connection() : lease_.connection(); }
  Connection* get() const noexcept { return transaction_ != nullptr ? transaction_->get() : lease_.get(); }
  void release() noexcept;

  void on_complete(std::string_view tag) noexcept override;
  void on_error(const SqlError& error) noexcept override;
  void on_ready() noexcept override;
  void on_lost(const std::exception_ptr& error) noexcept override;
  void on_detached() noexcept override;
  void detach() noexcept override;
  // Before the connection is given back.
  virtual void end_content() noexcept {}

  PostgresDriver& driver_;
  Transaction* transaction_;
  std::optional<Transaction::Turn> turn_;  // of it
  Lease lease_;
  Slot* slot_ = nullptr;  // until it is answered
  Event changed_;
  std::exception_ptr error_;
  std::int64_t rows_ = 0;

private:
  std::string shown_;  // in the step
  std::optional<sql::TracedStep> step_;
};

class CopyIn final : private Copy {
public:
  CopyIn(PostgresDriver& driver, Transaction* transaction) : Copy(driver, transaction) {}
  ~CopyIn();

  Task<> begin(std::string statement, bool literal);
  Task<> write(std::string_view bytes);
  Task<std::int64_t> end(std::exception_ptr error);

private:
  void on_copy_in() noexcept override;
  void end_content() noexcept override;
  bool open_ = false;  // the database takes content
};

class CopyOut final : private Copy {
public:
  CopyOut(PostgresDriver& driver, Transaction* transaction, std::string statement, bool literal)
      : Copy(driver, transaction), statement_(std::move(statement)), literal_(literal) {}
  ~CopyOut();

  Task<std::optional<std::string>> next();

private:
  static constexpr std::size_t max_queued = 256 * 1024;

  void on_copy_data(std::string_view bytes) override;

  Task<std::optional<std::string>> read();

  std::string statement_;
  bool literal_;
  std::deque<std::string> parts_;
  std::size_t bytes_ = 0;
  bool began_ = false;
};

}  // namespace tern::postgres
