// A transaction on a connection of its own.
#pragma once

#include "postgres/lease.hpp"
#include "postgres/statement.hpp"

#include <tern/sql/driver.hpp>

#include <string>
#include <vector>

namespace tern::postgres {

class PostgresDriver;

// What uses the connection of a transaction beside single statements, and ends with it.
class TransactionPart {
public:
  TransactionPart(const TransactionPart&) = delete;
  TransactionPart& operator=(const TransactionPart&) = delete;
  // The transaction ends: it is not used any longer.
  virtual void detach() noexcept = 0;

protected:
  TransactionPart() = default;
  ~TransactionPart() = default;
};

class Transaction final : public sql::TransactionDriver {
public:
  // The connection is used by one at a time. Throws std::logic_error.
  class Turn {
  public:
    explicit Turn(Transaction& transaction);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { transaction_.busy_ = false; }

  private:
    Transaction& transaction_;
  };

  Transaction(PostgresDriver& driver, const TransactionOptions& options) noexcept
      : driver_(driver), options_(options) {}
  ~Transaction() override { end(); }

  Task<> begin();
  std::string_view system() const noexcept override { return "postgresql"; }
  Task<std::int64_t> run(const sql::Call& call, sql::RowReader* rows) override;
  Task<> run_all(sql::Steps steps) override;
  base::Box<sql::Cursor> open(sql::Call call) override;
  Task<> commit() override;
  Task<> rollback() override;
  void fail() noexcept override { failed_ = true; }

  // Throws SqlError if the transaction or its connection has ended.
  Connection& connection() const;
  // Null if there is none any longer.
  Connection* get() const noexcept { return lease_.get(); }
  PostgresDriver& driver() const noexcept { return driver_; }
  void add(TransactionPart& part) { parts_.push_back(&part); }
  void remove(TransactionPart& part) noexcept { std::erase(parts_, &part); }
  std::string next_portal() { return "tern_" + std::to_string(++last_portal_); }

private:
  void end() noexcept;

  PostgresDriver& driver_;
  TransactionOptions options_;
  Lease lease_;
  std::vector<TransactionPart*> parts_;
  unsigned last_portal_ = 0;
  bool busy_ = false;
  bool failed_ = false;
};

}  // namespace tern::postgres
