#include "command/migrate.hpp"

#include "command/database.hpp"

#include <tern/tern.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::command {
namespace {

using sql::Migration;
using sql::MigrationState;
using sql::MigrationStatus;

// PostgreSQL needs a loop: the task is the start of an app without routes.
template <class F>
void run_on_loop(F work) {
  App app;
  app.on_start(std::move(work));
  app.start({.port = 0, .threads = 1, .logging = {.level = LogLevel::Off}});
  app.stop();
}

std::string_view word_of(MigrationStatus status) {
  switch (status) {
    case MigrationStatus::Done: return "done";
    case MigrationStatus::Pending: return "pending";
    case MigrationStatus::Changed: return "changed";
    case MigrationStatus::Missing: return "missing";
    case MigrationStatus::Preceded: return "preceded";
  }
  return {};
}

std::string table_of(const std::vector<MigrationState>& states) {
  constexpr std::size_t column = 10;
  std::string table;
  for (const MigrationState& state : states) {
    std::string line(word_of(state.status));
    line.resize(column, ' ');
    line += state.name;
    if (!state.run_at.empty()) line += "  (" + state.run_at + ")";
    table += line + "\n";
  }
  return table;
}

// The names of those that were run between `before` and `after`.
std::string lines_of_new(const std::vector<MigrationState>& before, const std::vector<MigrationState>& after) {
  std::string lines;
  for (const MigrationState& state : after) {
    const auto earlier = std::ranges::find(before, state.number, &MigrationState::number);
    const bool was_run = earlier != before.end() && !earlier->run_at.empty();
    if (state.status == MigrationStatus::Done && !was_run) lines += "done      " + state.name + "\n";
  }
  return lines;
}

}  // namespace

MigrateResult migrate(const MigrateArguments& arguments) {
  const std::vector<Migration> files = sql::read_migrations(arguments.folder);
  const std::shared_ptr<const sql::Database> database = open_database(arguments.database, arguments.status);
  MigrateResult result;
  run_on_loop([&]() -> Task<> {
    const std::vector<MigrationState> before = co_await database->migration_states(files);
    if (arguments.status) {
      result.text = table_of(before);
      result.complete = std::ranges::all_of(
          before, [](const MigrationState& state) { return state.status == MigrationStatus::Done; });
      co_return;
    }
    try {
      co_await database->migrate(files, arguments.last);
    } catch (const SqlError& error) {
      result.failure = error.what();
    }
    const std::vector<MigrationState> after = co_await database->migration_states(files);
    result.text = lines_of_new(before, after);
  });
  return result;
}

}  // namespace tern::command
