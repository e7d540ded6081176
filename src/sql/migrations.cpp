// Each migration is run in a transaction that first looks whether it was recorded: of several servers, the one that has
// the lock runs it, and the others find its record.
#include <tern/sql/database.hpp>

#include <tern/base/number.hpp>
#include <tern/base/sha1.hpp>
#include <tern/coro/offload.hpp>
#include <tern/sql/error.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace tern::sql {
namespace {

struct Recorded {
  std::int64_t number = 0;
  std::string name;
  std::string checksum;
  std::string run_at;
};

struct Numbered {
  std::int64_t number = 0;
  std::string checksum;
  const Migration* file = nullptr;
};

[[noreturn]] void refuse_migration(const std::string& name, std::string_view why) {
  throw SqlError(SqlErrorKind::Migration, "the migration " + name + " " + std::string(why));
}

std::string checksum_of(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string checksum;
  for (const std::uint8_t byte : base::sha1(text)) {
    checksum += digits[byte >> 4U];
    checksum += digits[byte & 15U];
  }
  return checksum;
}

// By their numbers.
std::vector<Numbered> number_migrations(const std::vector<Migration>& files) {
  std::vector<Numbered> numbered;
  for (const Migration& file : files) {
    const std::string_view name = file.name;
    const auto number = base::parse_integer<std::uint32_t>(name.substr(0, name.find('_')));
    if (!number) refuse_migration(file.name, "has no number: a name is like \"0001_books.sql\"");
    numbered.push_back({*number, checksum_of(file.text), &file});
  }
  std::ranges::sort(numbered, {}, &Numbered::number);
  const auto twice = std::ranges::adjacent_find(numbered, {}, &Numbered::number);
  if (twice != numbered.end()) refuse_migration(twice->file->name, "has the number of " + std::next(twice)->file->name);
  return numbered;
}

void check_recorded(const std::vector<Numbered>& files, const std::vector<Recorded>& recorded) {
  for (const Recorded& record : recorded) {
    const auto file = std::ranges::find(files, record.number, &Numbered::number);
    if (file == files.end()) refuse_migration(record.name, "was run in this database, and is missing");
    if (file->checksum != record.checksum) refuse_migration(file->file->name, "has changed since it was run");
  }
}

constexpr const char* table =
    "create table if not exists tern_migration (number bigint primary key, name text not null, checksum text not null, "
    "run_at text not null default current_timestamp)";

constexpr const char* records = "select number, name, checksum, run_at from tern_migration order by number";

struct Migrating {
  std::string_view lock;
  std::vector<Numbered> files;
  std::uint32_t last = every_migration;
};

void check_last(const std::vector<Recorded>& recorded, std::uint32_t last) {
  if (recorded.empty() || recorded.back().number <= last) return;
  refuse_migration(recorded.back().name, "was run, and its number is above " + std::to_string(last) +
                                             ": there are no migrations back, but a backup");
}

// What was run so far. Throws if the files are others.
Task<std::vector<Recorded>> read_records(Transaction& transaction, const Migrating& migrating) {
  if (!migrating.lock.empty()) co_await transaction.script(runtime(std::string(migrating.lock)));
  co_await transaction.script(runtime(table));
  auto recorded = co_await transaction.query<Recorded>(runtime(records));
  check_recorded(migrating.files, recorded);
  check_last(recorded, migrating.last);
  co_return recorded;
}

bool contains(const std::vector<Recorded>& recorded, std::int64_t number) {
  return std::ranges::find(recorded, number, &Recorded::number) != recorded.end();
}

// True if it was run now.
Task<bool> run_migration(Transaction& transaction, const Migrating& migrating, const Numbered& file) {
  const std::vector<Recorded> recorded = co_await read_records(transaction, migrating);
  if (contains(recorded, file.number)) co_return false;  // by another server, meanwhile
  if (!recorded.empty() && file.number < recorded.back().number) {
    refuse_migration(file.file->name, "precedes one that was run: " + recorded.back().name);
  }
  try {
    co_await transaction.script(runtime(file.file->text));
  } catch (const SqlError& error) {
    throw SqlError(SqlErrorKind::Migration, "the migration " + file.file->name + " fails: " + error.what());
  }
  co_await transaction.execute("insert into tern_migration (number, name, checksum) values ($1, $2, $3)", file.number,
                               file.file->name, file.checksum);
  co_return true;
}

// Before the first migration. SQLite has no code for it.
bool is_without_table(const SqlError& error) {
  return error.sqlstate() == "42P01" || std::string_view(error.what()).contains("no such table: tern_migration");
}

MigrationState state_of(const Numbered& file, const std::vector<Recorded>& recorded) {
  MigrationState state{static_cast<std::uint32_t>(file.number), file.file->name, MigrationStatus::Pending, {}};
  const auto record = std::ranges::find(recorded, file.number, &Recorded::number);
  if (record != recorded.end()) {
    state.status = record->checksum == file.checksum ? MigrationStatus::Done : MigrationStatus::Changed;
    state.run_at = record->run_at;
  } else if (!recorded.empty() && file.number < recorded.back().number) {
    state.status = MigrationStatus::Preceded;
  }
  return state;
}

std::vector<MigrationState> states_of(const std::vector<Numbered>& files, const std::vector<Recorded>& recorded) {
  std::vector<MigrationState> states;
  for (const Numbered& file : files) states.push_back(state_of(file, recorded));
  for (const Recorded& record : recorded) {
    if (std::ranges::find(files, record.number, &Numbered::number) != files.end()) continue;
    states.push_back({static_cast<std::uint32_t>(record.number), record.name, MigrationStatus::Missing, record.run_at});
  }
  std::ranges::sort(states, {}, &MigrationState::number);
  return states;
}

}  // namespace

std::vector<Migration> read_migrations(const std::string& folder) {
  std::vector<Migration> migrations;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".sql") continue;
    std::ifstream file(entry->path(), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) refuse_migration(entry->path().string(), "cannot be read");
    migrations.push_back({entry->path().filename().string(), std::move(text)});
  }
  if (error) {
    throw SqlError(SqlErrorKind::Migration,
                   "the folder of migrations " + folder + " cannot be read: " + error.message());
  }
  return migrations;
}

Task<std::size_t> Database::migrate(std::string folder) const {
  const auto read = [&folder] { return read_migrations(folder); };
  std::vector<Migration> files = co_await offload(read);
  co_return co_await migrate(std::move(files));
}

Task<std::size_t> Database::migrate(std::vector<Migration> migrations, std::uint32_t last) const {
  const Migrating migrating{database().migration_lock(), number_migrations(migrations), last};
  const TransactionOptions options{.statement_timeout = Milliseconds(0)};  // a migration may take long
  const auto look = [&](Transaction& transaction) { return read_records(transaction, migrating); };
  const std::vector<Recorded> recorded = co_await transaction(options, look);
  std::size_t count = 0;
  for (const Numbered& file : migrating.files) {
    if (contains(recorded, file.number) || file.number > last) continue;
    const auto run = [&](Transaction& transaction) { return run_migration(transaction, migrating, file); };
    if (co_await transaction(options, run)) ++count;
  }
  co_return count;
}

Task<std::vector<MigrationState>> Database::migration_states(std::vector<Migration> migrations) const {
  const std::vector<Numbered> files = number_migrations(migrations);
  std::vector<Recorded> recorded;
  try {
    recorded = co_await query<Recorded>(runtime(records));
  } catch (const SqlError& error) {
    if (!is_without_table(error)) throw;
  }
  co_return states_of(files, recorded);
}

}  // namespace tern::sql
