#include <tern/sql/store.hpp>

#include <tern/app/app.hpp>
#include <tern/base/ascii.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/offload.hpp>

#include "base/random.hpp"

#include <algorithm>
#include <bit>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

// The statements are understood by SQLite and PostgreSQL alike: in SQLite, a column of the type "bytea" keeps blobs as
// they are. Each is atomic by itself, also where transactions are not serializable: the condition of an update is
// evaluated again when another transaction has changed the row.
namespace tern {
namespace {

constexpr std::size_t max_key_bytes = 256;
constexpr std::int64_t max_swept = 500;  // rows of one statement
constexpr int max_attempts = 5;

std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}

std::int64_t unix_time() noexcept {
  Executor* const executor = Executor::current();
  return executor != nullptr ? executor->timers().unix_time() : std::time(nullptr);
}

// Rounded up, so that no entry expires early.
std::int64_t expiry_after(Milliseconds lifetime, std::int64_t now) noexcept {
  return now + 1 + (std::max<Milliseconds::rep>(lifetime.count(), 1) + 999) / 1000;
}

// Random, so that none is used twice for a key, also after the table was emptied.
std::uint64_t new_version() {
  std::uint64_t version = Store::absent;
  while (version == Store::absent) version = base::random_number();
  return version;
}

std::string checked(std::string_view table) {
  bool starts = true;
  bool valid = !table.empty();
  for (const char c : table) {
    const bool letter = base::is_alpha(c) || c == '_';
    valid = valid && (letter || (!starts && (base::is_digit(c) || c == '.')));
    starts = c == '.';
  }
  if (!valid || starts || std::ranges::count(table, '.') > 1) {
    throw SetupError("SqlStore: \"" + std::string(table) + "\" is no name of a table");
  }
  return std::string(table);
}

void check_key(std::string_view key) {
  if (key.size() > max_key_bytes) throw StoreError("a key of a store has at most 256 bytes");
}

struct Row {
  std::vector<std::byte> value;
  std::int64_t version = 0;
};

// What a statement returns, or a StoreError.
template <class T>
Task<T> stored(Task<T> statement) {
  std::string failure;
  try {
    co_return co_await std::move(statement);
  } catch (const SqlError& error) {
    failure = error.what();
  } catch (const Overloaded&) {
    failure = "too many wait for a connection of the database";
  }
  throw StoreError(failure);
}

bool is_created_already(const SqlError& error) {
  const std::string_view state = error.sqlstate();
  return error.kind() == SqlErrorKind::UniqueViolation || state == "42P07" || state == "42710";  // a table, a type
}

}  // namespace

std::string SqlStore::schema(std::string_view table) {
  const std::string name = checked(table);
  std::string index = name + "_expires";
  std::ranges::replace(index, '.', '_');
  return "create table if not exists " + name +
         " (key bytea not null primary key, value bytea not null, version bigint not null, expires bigint not null);\n"
         "create index if not exists " +
         index + " on " + name + " (expires);\n";
}

SqlStore::Statements::Statements(std::string_view table) {
  const std::string name = checked(table);
  const std::string replacing = "value = $2, version = $3, expires = $4";
  create = schema(table);
  read = "select value, version from " + name + " where key = $1 and expires > $2";
  put = "insert into " + name + " as old (key, value, version, expires) values ($1, $2, $3, $4) " +
        "on conflict (key) do update set " + replacing;
  add = put + " where old.expires <= $5";
  replace = "update " + name + " set " + replacing + " where key = $1 and version = $5 and expires > $6";
  extend = "update " + name + " set expires = $2 where key = $1 and expires > $3";
  erase = "delete from " + name + " where key = $1 and expires > $2";
  erase_version = erase + " and version = $3";
  sweep = "delete from " + name + " where key in (select key from " + name + " where expires <= $1 order by expires " +
          "limit " + std::to_string(max_swept) + ")";
}

SqlStore::SqlStore(const sql::Database& database, SqlStoreOptions options)
    : database_(database),
      options_(std::move(options)),
      statements_(options_.table),
      created_(!options_.create_table) {}

// Servers that begin at the same time may be in each other's way, because PostgreSQL checks for the table before it
// creates it. Which error says so depends on what the other one has committed by then.
Task<> SqlStore::create_once() {
  for (int attempt = 1; !created_; ++attempt) {
    try {
      auto script = database_.script(runtime(statements_.create));
      co_await std::move(script);
      created_ = true;
    } catch (const SqlError& error) {
      if (attempt == max_attempts || !is_created_already(error)) throw StoreError(error.what());
    } catch (const Overloaded&) {
      throw StoreError("too many wait for a connection of the database");
    }
  }
}

Task<std::int64_t> SqlStore::change(Task<std::int64_t> statement) {
  if (!created_) co_await create_once();
  auto running = stored(std::move(statement));
  co_return co_await std::move(running);
}

Task<std::optional<StoreEntry>> SqlStore::read(std::string_view key) {
  check_key(key);
  if (!created_) co_await create_once();
  auto reading = stored(database_.optional<Row>(runtime(statements_.read), bytes_of(key), unix_time()));
  const auto row = co_await std::move(reading);
  if (!row) co_return std::nullopt;
  StoreEntry entry;
  entry.value.assign(reinterpret_cast<const char*>(row->value.data()), row->value.size());  // NOLINT
  entry.version = std::bit_cast<std::uint64_t>(row->version);
  co_return entry;
}

Task<std::optional<std::uint64_t>> SqlStore::write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                                   std::optional<std::uint64_t> expected) {
  check_key(key);
  if (value.size() > options_.max_value_bytes) throw StoreError("the value is too large for SqlStore");
  const std::uint64_t version = new_version();
  const auto number = std::bit_cast<std::int64_t>(version);
  const std::int64_t now = unix_time();
  const std::int64_t end = expiry_after(lifetime, now);
  const auto statement = [&] {
    if (!expected) {
      return database_.execute(runtime(statements_.put), bytes_of(key), bytes_of(value), number, end);
    }
    if (*expected == absent) {
      return database_.execute(runtime(statements_.add), bytes_of(key), bytes_of(value), number, end, now);
    }
    return database_.execute(runtime(statements_.replace), bytes_of(key), bytes_of(value), number, end,
                             std::bit_cast<std::int64_t>(*expected), now);
  };
  auto writing = change(statement());
  const std::int64_t written = co_await std::move(writing);
  auto sweeping = sweep_if_due(now);
  co_await std::move(sweeping);
  if (written == 0) co_return std::nullopt;
  co_return version;
}

Task<bool> SqlStore::extend(std::string_view key, Milliseconds lifetime) {
  check_key(key);
  const std::int64_t now = unix_time();
  auto extending =
      change(database_.execute(runtime(statements_.extend), bytes_of(key), expiry_after(lifetime, now), now));
  const std::int64_t extended = co_await std::move(extending);
  co_return extended != 0;
}

Task<bool> SqlStore::erase(std::string_view key, std::optional<std::uint64_t> expected) {
  check_key(key);
  const std::int64_t now = unix_time();
  auto erasing = change(expected ? database_.execute(runtime(statements_.erase_version), bytes_of(key), now,
                                                     std::bit_cast<std::int64_t>(*expected))
                                 : database_.execute(runtime(statements_.erase), bytes_of(key), now));
  const std::int64_t erased = co_await std::move(erasing);
  co_return erased != 0;
}

Task<std::int64_t> SqlStore::sweep() {
  std::int64_t removed = 0;
  for (std::int64_t last = max_swept; last == max_swept; removed += last) {
    auto removing = change(database_.execute(runtime(statements_.sweep), unix_time()));
    last = co_await std::move(removing);
  }
  co_return removed;
}

// One of the loops does it. What a write has stored does not depend on it, so that a failure is left to the next sweep.
Task<> SqlStore::sweep_if_due(std::int64_t now) {
  std::int64_t due = next_sweep_;
  if (now < due || !next_sweep_.compare_exchange_strong(due, now + options_.sweep_every.count())) co_return;
  try {
    auto removing = change(database_.execute(runtime(statements_.sweep), now));
    const std::int64_t removed = co_await std::move(removing);
    if (removed == max_swept) next_sweep_ = now;
  } catch (const StoreError&) {
  }
}

}  // namespace tern
