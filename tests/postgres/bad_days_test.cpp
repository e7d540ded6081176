// A PostgreSQL that is away, hangs, ends, or refuses.
#include "postgres/postgres_testing.hpp"
#include "postgres/relay.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

// With a server of its own, which each test may end.
class PostgresBadDays : public RunningAppTest {
protected:
  PostgresBadDays() {
    Options options = quiet();
    options.threads = 2;
    app.start(options);
  }
  static testing::PostgresServer& server() {
    static testing::PostgresServer own;
    return own;
  }
  static PostgresOptions brief() {
    PostgresOptions options;
    options.url = server().url();
    options.statement_timeout = Milliseconds(500);
    options.connect_timeout = Milliseconds(500);
    options.max_wait = Milliseconds(500);
    options.retry = Milliseconds(100);
    return options;
  }
  template <class F>
  auto run(F work) {
    return on_loop(app, std::move(work));
  }
  template <class F>
  Failure error_of(F work) {
    return postgres::error_of(app, std::move(work));
  }
  static std::chrono::milliseconds since(Clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  }
};

TEST_F(PostgresBadDays, down_at_the_start_is_an_error_that_says_so) {
  PostgresOptions options;
  options.url = "host=" + folder.path.string() + " user=postgres";
  const Postgres db(options);
  const Failure failure = error_of([&] { return db.connect(); });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_THAT(failure.what, HasSubstr("PostgreSQL is not available"));
  EXPECT_THAT(failure.what, HasSubstr(folder.path.string()));
  EXPECT_EQ(error_of([&] { return db.execute("select 1"); }).kind, SqlErrorKind::Unavailable);
}

TEST_F(PostgresBadDays, wrong_options_are_found_before_a_connection_is_made) {
  EXPECT_THROW(Postgres("no such thing"), std::invalid_argument);
  PostgresOptions options;
  options.max_connections = 0;
  EXPECT_THROW(Postgres{options}, std::invalid_argument);
}

TEST_F(PostgresBadDays, down_at_the_start_can_be_waited_for) {
  server().stop();
  const Postgres db(brief());
  auto connected = std::async(std::launch::async, [&] { run([&] { return db.connect(Seconds(30)); }); });
  EXPECT_EQ(connected.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  server().start();
  connected.get();
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresBadDays, statements_can_wait_for_it) {
  server().stop();
  PostgresOptions patient = brief();
  patient.when_away = WhenAway::Wait;
  patient.max_wait = Seconds(30);
  const Postgres db(patient);
  auto answer = std::async(std::launch::async, [&] { return run([&] { return db.scalar<int>("select 1"); }); });
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  server().start();
  EXPECT_EQ(answer.get(), 1);
}

// Requests end with 200 or a 503, within their limits, and with 200 again when it is back.
TEST_F(PostgresBadDays, it_goes_away_under_load_and_comes_back) {
  const Postgres db(brief());
  App served;
  served.state(db);
  served.on_error(sql_problem);
  served.get("/", [](State<Postgres> database) { return database->scalar<int>("select 1 from pg_sleep(0.001)"); });
  Options options = quiet();
  options.threads = 2;
  served.start(options);

  std::atomic<bool> ends = false;
  std::atomic<int> good = 0;
  std::atomic<int> away = 0;
  std::atomic<int> others = 0;
  std::atomic<std::int64_t> longest = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      while (!ends) {
        const auto begin = Clock::now();
        const std::string answer = get(served.port(), "/");
        const std::int64_t took = since(begin).count();
        if (took > longest) longest = took;
        if (answer.starts_with("HTTP/1.1 200")) {
          ++good;
        } else if (answer.starts_with("HTTP/1.1 503") && answer.find("application/problem+json") != std::string::npos &&
                   answer.find("Retry-After") != std::string::npos) {
          ++away;
        } else {
          ++others;
        }
      }
    });
  }
  const auto reaches = [](const std::atomic<int>& number, int wanted) {
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (number < wanted && Clock::now() < end) std::this_thread::yield();
    return number >= wanted;
  };
  EXPECT_TRUE(reaches(good, 20));
  server().stop();
  EXPECT_TRUE(reaches(away, 20));
  server().start();
  const int before = good;
  EXPECT_TRUE(reaches(good, before + 50));
  ends = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(others, 0);
  EXPECT_LT(longest, 5000);
  EXPECT_GE(db.statistics().reconnects, 1U);
  EXPECT_EQ(db.statistics().in_use, 0U);
  EXPECT_EQ(db.statistics().waiting, 0U);
}

TEST_F(PostgresBadDays, one_that_hangs_is_left_at_the_deadline) {
  const Postgres db(brief());
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
  server().pause();
  auto begin = Clock::now();
  EXPECT_EQ(error_of([&] { return db.execute("select 1"); }).kind, SqlErrorKind::Unavailable);
  EXPECT_LT(since(begin).count(), 4000);
  // A connection that is being made hangs, too.
  begin = Clock::now();
  const Failure failure = error_of([&]() -> Task<> {
    try {
      co_await db.execute("select 1");
    } catch (const Overloaded&) {
      throw SqlError(SqlErrorKind::Unavailable, "overloaded");
    }
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_LT(since(begin).count(), 4000);
  server().resume();
  run([&] { return db.connect(Seconds(20)); });
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresBadDays, a_request_limit_holds_while_it_hangs) {
  const Postgres db(brief());
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
  server().pause();
  const auto begin = Clock::now();
  const bool timed_out = throws<TimedOut>(app, [&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> { co_await tx.execute("select 1"); };
    co_await with_timeout(Milliseconds(100), db.transaction(work));
  });
  EXPECT_TRUE(timed_out);
  EXPECT_LT(since(begin).count(), 2500);
  server().resume();
}

TEST_F(PostgresBadDays, a_connection_that_the_database_ends_is_replaced) {
  const Postgres db(brief());
  const int process = run([&] { return db.scalar<int>("select pg_backend_pid()"); });
  server().run("select pg_terminate_backend(" + std::to_string(process) + ")");
  run([&] { return db.connect(Seconds(10)); });
  EXPECT_NE(run([&]() -> Task<int> {
              while (true) {
                try {
                  co_return co_await db.scalar<int>("select pg_backend_pid()");
                } catch (const SqlError&) {
                }
                co_await sleep_for(Milliseconds(10));
              }
            }),
            process);
  EXPECT_EQ(db.statistics().reconnects, 1U);
  // Within a statement, its error says why.
  const Failure failure = error_of([&] { return db.execute("select pg_terminate_backend(pg_backend_pid())"); });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_EQ(failure.state, "57P01");
}

TEST_F(PostgresBadDays, a_transaction_whose_connection_is_lost_is_not_committed) {
  const Postgres db(brief());
  server().run("drop table if exists lost; create table lost (x int)");
  const Failure failure = error_of([&]() -> Task<> {
    const auto work = [](sql::Transaction& tx) -> Task<> {
      co_await tx.execute("insert into lost values (1)");
      const int process = co_await tx.scalar<int>("select pg_backend_pid()");
      server().run("select pg_terminate_backend(" + std::to_string(process) + ")");
      co_await sleep_for(Milliseconds(50));
      co_await tx.execute("insert into lost values (2)");
    };
    co_await db.transaction(work);
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::Unavailable);
  EXPECT_EQ(server().run("select count(*) from lost"), "0");
}

TEST_F(PostgresBadDays, several_hosts_are_tried_in_their_order) {
  const Postgres db("host=" + folder.path.string() + "," + server().folder() + " user=postgres dbname=postgres");
  EXPECT_EQ(run([&] { return db.scalar<int>("select 1"); }), 1);
  const Postgres standby("host=" + server().folder() + " user=postgres target_session_attrs=standby");
  EXPECT_THAT(error_of([&] { return standby.connect(); }).what, HasSubstr("standby"));
  const Postgres preferred("host=" + server().folder() + " user=postgres target_session_attrs=prefer-standby");
  EXPECT_EQ(run([&] { return preferred.scalar<int>("select 1"); }), 1);
}

TEST_F(PostgresBadDays, what_is_not_postgresql_is_an_error) {
  const Postgres db("host=no-such-host.invalid connect_timeout=5");
  EXPECT_THAT(error_of([&] { return db.connect(); }).what, HasSubstr("no-such-host.invalid"));
}

TEST_F(PostgresBadDays, too_many_connections_are_an_error) {
  testing::PostgresServer::Options few;
  few.settings = {"max_connections = 4", "superuser_reserved_connections = 0"};
  testing::PostgresServer small(few);
  PostgresOptions options;
  options.url = small.url();
  options.max_wait = Milliseconds(300);
  const Postgres one(options);
  const int count = run([&]() -> Task<int> {
    const auto work = [](sql::Transaction& tx) -> Task<int> {
      co_await tx.execute("select pg_sleep(0.5)");
      co_return 1;
    };
    const auto attempt = [&]() -> Task<int> {
      try {
        co_return co_await one.transaction(work);
      } catch (const SqlError&) {
      } catch (const Overloaded&) {
      }
      co_return 0;
    };
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 6; ++i) tasks.push_back(attempt());
    int done = 0;
    const std::vector<int> results = co_await when_all(std::move(tasks));
    for (const int each : results) done += each;
    co_return done;
  });
  EXPECT_GE(count, 1);
  EXPECT_LT(count, 6);
}

TEST_F(PostgresBadDays, tls_and_scram) {
  testing::PostgresServer::Options secure;
  secure.on_port = true;
  secure.access = {"hostssl all all 127.0.0.1/32 scram-sha-256"};
  secure.settings = {"password_encryption = 'scram-sha-256'"};
  testing::PostgresServer guarded(secure);
  const std::string key = guarded.folder() + "/data/server.key";
  const std::string certificate = guarded.folder() + "/data/server.crt";
  const std::string made =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext "
      "subjectAltName=IP:127.0.0.1 -keyout " +
      key + " -out " + certificate + " 2>/dev/null";
  ASSERT_EQ(std::system(made.c_str()), 0);
  std::filesystem::permissions(key, std::filesystem::perms::owner_read);
  const std::string copied = folder.path.string() + "/root.crt";
  std::filesystem::copy_file(certificate, copied);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(key.c_str(), 65534, 65534), 0);
  }
  guarded.run("alter system set ssl = on");
  guarded.run("create user reader password 'secret'");
  guarded.stop();
  guarded.start();
  const std::string url = "postgresql://reader:secret@127.0.0.1:" + std::to_string(guarded.port()) +
                          "/postgres?sslmode=verify-full&sslrootcert=" + copied;
  const Postgres db(url);
  EXPECT_EQ(run([&] { return db.scalar<std::string>("select version from pg_stat_ssl where pid = pg_backend_pid()"); }),
            "TLSv1.3");
  // More than one record, in both directions.
  const std::string large(1024 * 1024, 'x');
  EXPECT_EQ(run([&] { return db.scalar<std::string>("select $1::text", large); }), large);
  const int sum = run([&]() -> Task<int> {
    auto rows = db.each<int>("select x from generate_series(1, 10000) as x");
    int total = 0;
    while (const auto row = co_await rows.next()) total += *row;
    co_return total;
  });
  EXPECT_EQ(sum, 50'005'000);
  const Postgres wrong("postgresql://reader:wrong@127.0.0.1:" + std::to_string(guarded.port()) +
                       "/postgres?sslmode=require");
  EXPECT_THAT(error_of([&] { return wrong.connect(); }).what, HasSubstr("password"));
}

TEST_F(PostgresBadDays, the_environment_names_what_the_url_does_not) {
  ::setenv("PGHOST", server().folder().c_str(), 1);
  ::setenv("PGUSER", "postgres", 1);
  const Postgres db;
  EXPECT_EQ(run([&] { return db.scalar<std::string>("select current_user::text"); }), "postgres");
  ::unsetenv("PGHOST");
  ::unsetenv("PGUSER");
}

}  // namespace
}  // namespace tern::postgres
