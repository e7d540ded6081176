// Postgres: a database of PostgreSQL.
#pragma once

#include <tern/postgres/copy.hpp>
#include <tern/postgres/notification.hpp>
#include <tern/postgres/options.hpp>

#include <tern/coro/task.hpp>
#include <tern/sql/database.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tern {

namespace postgres {
class PostgresDriver;
class Transaction;
}  // namespace postgres

// A handle: its copies are the same database, whose connections end with the last one. Each loop has connections of its
// own, which are made when its first statement needs them. Only for coroutines on a loop.
//
// Statements outside of transactions share connections: several are under way on one, and those of one iteration of the
// loop leave in one write. A transaction, a row stream and a script have a connection of their own. The database ends a
// statement that is cancelled, or takes longer than statement_timeout.
//
// The outcome of a statement whose connection is lost is unknown (SqlError, Unavailable); nothing is sent twice.
class Postgres final : public sql::Database {
public:
  // Does not connect. Throws std::invalid_argument for invalid options.
  explicit Postgres(PostgresOptions options = {});
  explicit Postgres(std::string url);
  Postgres(const Postgres& other) noexcept;
  Postgres& operator=(const Postgres& other) noexcept;
  ~Postgres();

  // For on_start: throws SqlError (Unavailable) if no connection can be made within `limit`, or at once if that is
  // zero.
  Task<> connect(Milliseconds limit = Milliseconds(0)) const;

  // COPY … FROM STDIN: f is called with a tern::CopyWriter&, and its task awaited; the number of rows. If it throws, no
  // row is copied. f lives until then.
  template <class F>
  Task<std::int64_t> copy_in(SqlText<0> text, F&& f) const {
    static_assert(coro::SafelyAwaited<F>, "tern: this GCC destroys what such a lambda captures twice: give it a name");
    return postgres::copy_in<std::decay_t<F>>(*driver_, nullptr, std::string(text.text()), text.is_literal(),
                                              std::forward<F>(f));
  }
  // As a part of a transaction of this database. Throws std::invalid_argument for one of another database.
  template <class F>
  Task<std::int64_t> copy_in(sql::Transaction& transaction, SqlText<0> text, F&& f) const {
    static_assert(coro::SafelyAwaited<F>, "tern: this GCC destroys what such a lambda captures twice: give it a name");
    return postgres::copy_in<std::decay_t<F>>(*driver_, &mine(transaction), std::string(text.text()), text.is_literal(),
                                              std::forward<F>(f));
  }
  // COPY … TO STDOUT, which begins with the first next().
  CopyReader copy_out(SqlText<0> text) const {
    return {*driver_, nullptr, std::string(text.text()), text.is_literal()};
  }
  CopyReader copy_out(sql::Transaction& transaction, SqlText<0> text) const {
    return {*driver_, &mine(transaction), std::string(text.text()), text.is_literal()};
  }

  // Sends a notification; the payload is text of less than 8,000 bytes.
  Task<> notify(std::string channel, std::string payload) const;
  // while (true) { const tern::Notification one = co_await notifications.next(); … }
  NotificationStream listen(std::vector<std::string> channels) const { return {*driver_, std::move(channels)}; }

private:
  sql::DatabaseDriver& database() const override;
  postgres::Transaction& mine(sql::Transaction& transaction) const;

  postgres::PostgresDriver* driver_;  // counts its handles
};

}  // namespace tern
