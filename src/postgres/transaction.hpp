// A transaction on a connection of its own.
#pragma once

#include "postgres/lease.hpp"
#include "postgres/statement.hpp"

#include <tern/sql/driver.hpp>

#include <vector>

namespace tern::postgres {

class PostgresDriver;
class TransactionCursor;

class Transaction final : public sql::TransactionDriver {
public:
  Transaction(PostgresDriver& driver, const TransactionOptions& options) noexcept
      : driver_(driver), options_(options) {}
  ~Transaction() override { end(); }

  Task<> begin();
  Task<std::int64_t> run(const sql::Call& call, sql::RowReader* rows) override;
  Task<> run_all(sql::Steps steps) override;
  base::Box<sql::Cursor> open(sql::Call call) override;
  Task<> commit() override;
  Task<> rollback() override;
  void fail() noexcept override { failed_ = true; }

private:
  friend class TransactionCursor;
  class Turn;

  // Throws SqlError if the transaction or its connection has ended.
  Connection& connection() const;
  void end() noexcept;

  PostgresDriver& driver_;
  TransactionOptions options_;
  Lease lease_;
  std::vector<TransactionCursor*> cursors_;
  unsigned last_cursor_ = 0;
  bool busy_ = false;
  bool failed_ = false;
};

}  // namespace tern::postgres
