// Database: what all databases with SQL can do.
#pragma once

#include <tern/sql/expected.hpp>
#include <tern/sql/migration.hpp>
#include <tern/sql/queries.hpp>
#include <tern/sql/statistics.hpp>
#include <tern/sql/transaction.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::http {
class FigureSink;
}

namespace tern::sql {

// Its functions may be called from any thread.
class Database : public Queries {
public:
  // Calls f with a sql::Transaction& and awaits its task. Commits if that returns, and rolls back if it throws or is
  // cancelled; the result is f's. f lives until then, so that it may capture by reference:
  //
  //   co_await db.transaction([&](auto& tx) -> tern::Task<> { co_await tx.execute("…", id); });
  template <class F>
  auto transaction(F&& f) const {
    return transaction(TransactionOptions{}, std::forward<F>(f));
  }
  template <class F>
  auto transaction(TransactionOptions options, F&& f) const {
    static_assert(detail::usable<F>, "tern: this GCC destroys what such a lambda captures twice: give it a name");
    using Made = typename detail::TransactionFunction<F>::Made;
    return detail::in_transaction<Made, std::decay_t<F>>(database(), options, std::forward<F>(f));
  }

  // Runs the migrations of a folder that were not run yet, in the order of their numbers, each in a transaction; the
  // number of those. Throws SqlError (Migration), naming the file, if one that was run has changed or is missing, or if
  // a new one precedes one that was run. Several servers may call it at the same time.
  Task<std::size_t> migrate(std::string folder) const;
  // Those up to the number `last`. Throws SqlError (Migration) if one with a larger number was run: none is undone.
  Task<std::size_t> migrate(std::vector<Migration> migrations, std::uint32_t last = every_migration) const;
  // The same from an EmbeddedFolder.
  template <class Folder>
    requires requires(const Folder& folder) { folder.files(); }
  Task<std::size_t> migrate(const Folder& folder) const {
    std::vector<Migration> migrations;
    for (const auto& file : folder.files()) {
      migrations.push_back({std::string(file.path), std::string(folder.content(file.path).value_or(""))});
    }
    return migrate(std::move(migrations));
  }

  // The state of these migrations and of those that were run, by their numbers; changes nothing. Throws SqlError
  // (Migration) for names without number, or with the same one.
  Task<std::vector<MigrationState>> migration_states(std::vector<Migration> migrations) const;

  // For metrics and health checks; does not wait.
  Statistics statistics() const { return database().statistics(); }
  // The same for AdminAddress::pool(); `pool` is the value of a label.
  void report(http::FigureSink& sink, std::string_view pool) const;

protected:
  Database() = default;
  Database(const Database&) = default;
  Database& operator=(const Database&) = default;
  ~Database() = default;

private:
  virtual DatabaseDriver& database() const = 0;
  Driver& driver() const override { return database(); }
};

}  // namespace tern::sql
