// A transaction on a connection of its own.
#pragma once

#include "sqlite/driver.hpp"

#include <vector>

namespace tern::sqlite {

class TransactionCursor;

class Transaction final : public sql::TransactionDriver {
public:
  Transaction(SqliteDriver& driver, Lease lease, const TransactionOptions& options) noexcept
      : driver_(driver), lease_(std::move(lease)), options_(options) {}
  ~Transaction() override;

  Task<> begin();
  std::string_view system() const noexcept override { return "sqlite"; }
  Task<std::int64_t> run(const sql::Call& call, sql::RowReader* rows) override;
  Task<> run_all(sql::Steps steps) override;
  base::Box<sql::Cursor> open(sql::Call call) override;
  Task<> commit() override;
  Task<> rollback() override;
  void fail() noexcept override { failed_ = true; }

private:
  friend class TransactionCursor;
  class Turn;

  Limits limits(StopToken stop) const noexcept;
  // Throws SqlError if SQLite has ended the transaction.
  void expect_open() const;
  std::int64_t run_now(const sql::Call& call, sql::RowReader* rows, const Limits& limits);
  void end() noexcept;

  SqliteDriver& driver_;
  Lease lease_;
  std::vector<TransactionCursor*> cursors_;  // their statements are of this connection
  TransactionOptions options_;
  bool began_ = false;
  bool busy_ = false;
  bool failed_ = false;
};

}  // namespace tern::sqlite
