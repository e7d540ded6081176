// Accounts and transfers that are neither lost nor made twice: transactions, idempotency keys, pages by key.
//
//   ledger --database ledger.db                       an SQLite file; or postgresql://…
//   curl --json '{"owner":"Ann","balance":100}' http://127.0.0.1:8080/accounts
//   curl --json '{"owner":"Bob"}' http://127.0.0.1:8080/accounts
//   curl --json '{"from":1,"to":2,"amount":30}' --header 'Idempotency-Key: 7f2a' http://127.0.0.1:8080/transfers
//   curl 'http://127.0.0.1:8080/transfers?account=2&limit=10'
//
// A client that gets no answer sends its transfer again, with the same key: the first answer is in the database, in the
// same transaction as the transfer itself.
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include "database/open.hpp"
#include "flags.hpp"

#include <chrono>

namespace {

using Time = std::chrono::sys_seconds;
using Ledger = tern::State<examples::Database>;

struct NewAccount {
  std::string owner;
  std::int64_t balance = 0;
};

struct Account {
  std::int64_t id = 0;
  std::string owner;
  std::int64_t balance = 0;
};

// All must be there: a member with an initializer may be missing.
struct NewTransfer {
  std::int64_t from;
  std::int64_t to;
  std::int64_t amount;
};

struct Transfer {
  std::int64_t id = 0;
  std::string key;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t amount = 0;
  Time made;
};

// The entries behind `after`, by their ids: a page costs the same wherever it is, and entries that are added meanwhile
// move nothing.
struct Selection {
  std::int64_t after = 0;
  std::int64_t limit = 50;
  std::optional<std::int64_t> account;
};

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::int64_t> next;  // the `after` of the next page
};

constexpr const char* sqlite_schema = R"(
  create table account (
    id integer primary key,
    owner text not null,
    balance integer not null check (balance >= 0)
  ) strict;
  create table transfer (
    id integer primary key,
    key text not null unique,
    source integer not null references account(id),
    target integer not null references account(id),
    amount integer not null check (amount > 0),
    made text not null
  ) strict;
  create index transfer_by_source on transfer(source, id);
  create index transfer_by_target on transfer(target, id);
)";

constexpr const char* postgres_schema = R"(
  create table account (
    id bigint generated always as identity primary key,
    owner text not null,
    balance bigint not null check (balance >= 0)
  );
  create table transfer (
    id bigint generated always as identity primary key,
    key text not null unique,
    source bigint not null references account(id),
    target bigint not null references account(id),
    amount bigint not null check (amount > 0),
    made timestamptz not null
  );
  create index transfer_by_source on transfer(source, id);
  create index transfer_by_target on transfer(target, id);
)";

tern::Task<> prepare(examples::Database database) {
  std::vector<tern::sql::Migration> migrations = {
      {"0001_ledger.sql", database.is_postgres ? postgres_schema : sqlite_schema}};
  co_await database->migrate(std::move(migrations));
}

}  // namespace

template <>
struct tern::Rules<NewAccount> {
  static constexpr auto list = tern::rules(tern::member<&NewAccount::owner>(tern::length(1, 100)),
                                           tern::member<&NewAccount::balance>(tern::minimum(0)));
};
template <>
struct tern::Rules<NewTransfer> {
  static constexpr auto list = tern::rules(tern::member<&NewTransfer::amount>(tern::minimum(1)));
};
template <>
struct tern::Rules<Selection> {
  static constexpr auto list = tern::rules(tern::member<&Selection::limit>(tern::range(1, 500)));
};

namespace {

template <class T>
Page<T> page_of(std::vector<T> items, std::int64_t limit) {
  Page<T> page{std::move(items), std::nullopt};
  if (std::ssize(page.items) > limit) {
    page.items.pop_back();
    page.next = page.items.back().id;
  }
  return page;
}

tern::Task<tern::Created<Account>> open_account(Ledger ledger, tern::Json<NewAccount> wanted) {
  Account account = co_await (*ledger)->one<Account>(
      "insert into account (owner, balance) values ($1, $2) returning id, owner, balance", wanted->owner,
      wanted->balance);
  std::string location = "/accounts/" + std::to_string(account.id);
  co_return tern::created(std::move(account), std::move(location));
}

tern::Task<std::optional<Account>> find_account(std::int64_t id, Ledger ledger) {
  return (*ledger)->optional<Account>("select id, owner, balance from account where id = $1", id);
}

tern::Task<Page<Account>> list_accounts(Ledger ledger, tern::Query<Selection> selection) {
  auto accounts =
      co_await (*ledger)->query<Account>("select id, owner, balance from account where id > $1 order by id limit $2",
                                         selection->after, selection->limit + 1);
  co_return page_of(std::move(accounts), selection->limit);
}

tern::Task<Page<Transfer>> list_transfers(Ledger ledger, tern::Query<Selection> selection) {
  std::vector<Transfer> transfers;
  if (selection->account) {
    transfers = co_await (*ledger)->query<Transfer>(
        "select id, key, source as \"from\", target as \"to\", amount, made from transfer "
        "where id > $1 and (source = $3 or target = $3) order by id limit $2",
        selection->after, selection->limit + 1, *selection->account);
  } else {
    transfers = co_await (*ledger)->query<Transfer>(
        "select id, key, source as \"from\", target as \"to\", amount, made from transfer "
        "where id > $1 order by id limit $2",
        selection->after, selection->limit + 1);
  }
  co_return page_of(std::move(transfers), selection->limit);
}

tern::Task<> move_money(tern::Transaction& transaction, std::int64_t account, std::int64_t amount) {
  const std::int64_t changed =
      co_await transaction.execute("update account set balance = balance + $2 where id = $1", account, amount);
  if (changed == 0) {
    throw tern::HttpError(tern::Status::UnprocessableContent, "there is no account " + std::to_string(account));
  }
}

// The transfer with this key, made now or before.
tern::Task<Transfer> make_transfer(tern::Transaction& transaction, const std::string& key, const NewTransfer& wanted) {
  auto made = co_await transaction.optional<Transfer>(
      "select id, key, source as \"from\", target as \"to\", amount, made from transfer where key = $1", key);
  if (made) {
    if (made->from == wanted.from && made->to == wanted.to && made->amount == wanted.amount) co_return std::move(*made);
    throw tern::HttpError(tern::Status::UnprocessableContent, "the key is of another transfer");
  }
  // In the order of the accounts, so that two transfers cannot wait for each other.
  const bool ascending = wanted.from < wanted.to;
  co_await move_money(transaction, ascending ? wanted.from : wanted.to, ascending ? -wanted.amount : wanted.amount);
  co_await move_money(transaction, ascending ? wanted.to : wanted.from, ascending ? wanted.amount : -wanted.amount);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  co_return co_await transaction.one<Transfer>(
      "insert into transfer (key, source, target, amount, made) values ($1, $2, $3, $4, $5) "
      "returning id, key, source as \"from\", target as \"to\", amount, made",
      key, wanted.from, wanted.to, wanted.amount, now);
}

tern::Task<tern::Created<Transfer>> transfer(Ledger ledger, tern::Header<"Idempotency-Key", std::string> key,
                                             tern::Json<NewTransfer> wanted) {
  if (wanted->from == wanted->to) throw tern::HttpError(tern::Status::UnprocessableContent, "two accounts are needed");
  const auto work = [&](tern::Transaction& transaction) { return make_transfer(transaction, *key, *wanted); };
  // The same request at the same time fails when it inserts the key, and finds the other's transfer then.
  std::optional<Transfer> made;
  for (int attempt = 0; !made; ++attempt) {
    try {
      made = co_await (*ledger)->transaction({.retries = 5}, work);
    } catch (const tern::SqlError& error) {
      if (error.kind() != tern::SqlErrorKind::UniqueViolation || attempt == 1) throw;
    }
  }
  std::string location = "/transfers?limit=1&after=" + std::to_string(made->id - 1);
  co_return tern::created(std::move(*made), std::move(location));
}

// A balance below zero is a conflict with what is there; everything else is as usual.
tern::HttpError problem(const tern::SqlError& error) {
  if (error.kind() == tern::SqlErrorKind::CheckViolation) {
    return tern::HttpError(tern::Status::Conflict, "the balance is too low");
  }
  return tern::sql_problem(error);
}

}  // namespace

int main(int argc, char** argv) {
  std::string address = "ledger.db";
  const tern::Options options = examples::options(argc, argv, {{"--database", address}});
  try {
    const examples::Database database = examples::open_database(address);
    tern::App app;
    app.state(database);
    app.on_error(problem);
    app.on_start([database] { return prepare(database); });
    app.get("/accounts", list_accounts);
    app.post("/accounts", open_account);
    app.get("/accounts/{id}", find_account);
    app.get("/transfers", list_transfers);
    app.post("/transfers", transfer)
        .problem(tern::Status::NotFound, "There is no such account")
        .problem(tern::Status::Conflict, "The balance is too low");
    app.openapi({.title = "Ledger", .docs = "/docs"});
    return app.run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ledger: %s\n", error.what());
    return 1;
  }
}
