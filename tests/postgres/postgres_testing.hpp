// For tests with a real PostgreSQL: one server for the program, a schema for each test, and coroutines on the first
// loop of an app.
#pragma once

#include "tern/running_app.hpp"

#include <tern/postgres.hpp>
#include <tern/postgres/testing.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <future>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tern::postgres {

inline testing::PostgresServer& shared_server() {
  static testing::PostgresServer server;
  return server;
}

// The result or exception of the coroutine `work()`, run by the app's first loop.
template <class F>
auto on_loop(App& app, F work) {
  using Result = typename std::invoke_result_t<F&>::value_type;
  std::promise<Result> promise;
  app.spawn([&promise, &work]() -> Task<> {
    try {
      if constexpr (std::is_void_v<Result>) {
        co_await work();
        promise.set_value();
      } else {
        promise.set_value(co_await work());
      }
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  });
  return promise.get_future().get();
}

// What an error says. (ThreadSanitizer does not see that libstdc++ counts the references of exceptions, so none is
// passed to another thread.)
struct Failure {
  SqlErrorKind kind = SqlErrorKind::Other;
  std::string state;
  std::string what;
  std::string constraint;
  std::string table;
  std::string column;
};

// The SqlError of the coroutine `work()`; a Failure with the state "none" if there is none.
template <class F>
Failure error_of(App& app, F work) {
  return on_loop(app, [&work]() -> Task<Failure> {
    try {
      co_await work();
    } catch (const SqlError& error) {
      co_return Failure{error.kind(),  std::string(error.sqlstate()), error.what(), error.constraint(), error.table(),
                        error.column()};
    }
    co_return Failure{SqlErrorKind::Other, "none", {}, {}, {}, {}};
  });
}

// Whether the coroutine `work()` throws an E.
template <class E, class F>
bool throws(App& app, F work) {
  return on_loop(app, [&work]() -> Task<bool> {
    try {
      co_await work();
    } catch (const E&) {
      co_return true;
    }
    co_return false;
  });
}

// An app with a database: a schema of the shared server.
class PostgresTest : public RunningAppTest {
protected:
  PostgresOptions options(std::string url = {}) const {
    PostgresOptions options;
    options.url = url.empty() ? schema.url() : std::move(url);
    return options;
  }
  Options one_loop() const {
    Options options = quiet();
    options.threads = 1;
    return options;
  }
  void begin() { app.start(one_loop()); }

  template <class F>
  auto run(F work) {
    return on_loop(app, std::move(work));
  }
  template <class F>
  Failure error_of(F work) {
    return postgres::error_of(app, std::move(work));
  }

  testing::PostgresSchema schema{shared_server()};
  Postgres db{options()};
};

}  // namespace tern::postgres
