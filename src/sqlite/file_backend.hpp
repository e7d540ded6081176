// For tests of all databases (sql/store_contract.hpp): SQLite in a file, on a thread pool.
#pragma once

#include "coro/manual_executor.hpp"
#include "sqlite/sqlite_testing.hpp"

#include <tern/thread_pool.hpp>

#include <string_view>
#include <thread>
#include <utility>

namespace tern::sqlite {

class FileBackend {
public:
  static constexpr std::string_view id = "integer primary key";

  const sql::Database& database() const { return database_; }
  template <class T>
  T run(Task<T> task) {
    coro::ManualExecutor executor;
    executor.pool = &pool_;
    coro::StartedTask<T> running(std::move(task));
    while (!running.ended()) {
      executor.run();
      std::this_thread::yield();
    }
    return running.result();
  }

private:
  ThreadPool pool_{{.threads = 2}};
  base::TestFolder folder_;
  Sqlite database_{{.path = folder_.path / "store.db", .sync = SqliteSync::Off}};
};

}  // namespace tern::sqlite
