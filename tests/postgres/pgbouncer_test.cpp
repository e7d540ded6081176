// Behind pgbouncer, which gives a connection to a client for one transaction.
#include "postgres/postgres_testing.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tern::postgres {
namespace {

constexpr uid_t unprivileged = 65534;

class Pgbouncer {
public:
  explicit Pgbouncer(const testing::PostgresServer& server) {
    const std::string folder = folder_.path.string();
    std::ofstream(folder + "/ini") << "[databases]\npostgres = host=" << server.folder()
                                   << " port=5432 dbname=postgres user=postgres\n[pgbouncer]\nlisten_addr =\n"
                                   << "listen_port = 6543\nunix_socket_dir = " << folder
                                   << "\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n";
    if (::geteuid() == 0 && ::chown(folder.c_str(), unprivileged, unprivileged) != 0) return;
    const std::string configuration = folder + "/ini";
    process_ = ::fork();
    if (process_ == 0) {
      if (::geteuid() == 0 && (::setgid(unprivileged) != 0 || ::setuid(unprivileged) != 0)) ::_exit(126);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execl("/usr/sbin/pgbouncer", "pgbouncer", "-q", configuration.c_str(), nullptr);
      ::_exit(127);
    }
  }
  Pgbouncer(const Pgbouncer&) = delete;
  Pgbouncer& operator=(const Pgbouncer&) = delete;
  ~Pgbouncer() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  std::string url() const { return "host=" + folder_.path.string() + " port=6543 user=postgres dbname=postgres"; }
  static bool is_installed() { return std::filesystem::exists("/usr/sbin/pgbouncer"); }

private:
  TestFolder folder_;
  pid_t process_ = -1;
};

class PostgresPgbouncer : public RunningAppTest {
protected:
  void SetUp() override {
    if (!Pgbouncer::is_installed()) GTEST_SKIP() << "pgbouncer is not installed";
    Options options = quiet();
    options.threads = 1;
    app.start(options);
    on_loop(app, [&] { return db.connect(Seconds(20)); });
  }
  PostgresOptions options() const {
    PostgresOptions options;
    options.url = pooler.url();
    options.transaction_pooling = true;
    options.max_connections = 4;
    return options;
  }
  template <class F>
  auto run(F work) {
    return on_loop(app, std::move(work));
  }

  Pgbouncer pooler{shared_server()};
  Postgres db{options()};
};

TEST_F(PostgresPgbouncer, statements_need_no_session) {
  run([&] { return db.script("drop table if exists pooled; create table pooled (x int, t timestamptz)"); });
  run([&]() -> Task<> {
    // Several at once, so that the pooler has to change between its connections.
    std::vector<Task<int>> tasks;
    const auto work = [](sql::Transaction& tx) -> Task<int> {
      const int x = co_await tx.scalar<int>("select $1::int", 5);
      co_await tx.execute("insert into pooled values ($1, now())", x);
      co_return x;
    };
    for (int i = 0; i < 20; ++i) {
      tasks.push_back(db.scalar<int>("select $1::int + 1", i));
      tasks.push_back(db.transaction(work));
    }
    const std::vector<int> results = co_await when_all(std::move(tasks));
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(results[static_cast<std::size_t>(2 * i)], i + 1);
      EXPECT_EQ(results[static_cast<std::size_t>(2 * i + 1)], 5);
    }
  });
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from pooled"); }), 20);
  EXPECT_EQ(run([&] { return db.scalar<std::int64_t>("select count(*) from pg_prepared_statements"); }), 0);
}

TEST_F(PostgresPgbouncer, rows_are_streamed) {
  const int sum = run([&]() -> Task<int> {
    auto rows = db.each<int>("select x from generate_series(1, 1000) as x");
    int total = 0;
    while (const auto row = co_await rows.next()) total += *row;
    co_return total;
  });
  EXPECT_EQ(sum, 500'500);
}

TEST_F(PostgresPgbouncer, a_changed_table_is_read_anew) {
  run([&] { return db.script("drop table if exists changing; create table changing as select 1 as x"); });
  EXPECT_EQ(run([&] { return db.scalar<std::string>("select x::text from changing"); }), "1");
  EXPECT_EQ(run([&] { return db.scalar<int>("select x from changing"); }), 1);
  shared_server().run("alter table changing alter x type text");
  const Failure failure = error_of(app, [&] { return db.scalar<int>("select x from changing"); });
  EXPECT_EQ(failure.kind, SqlErrorKind::Column);
  EXPECT_EQ(run([&] { return db.scalar<std::string>("select x from changing"); }), "1");
}

TEST_F(PostgresPgbouncer, statements_are_cancelled) {
  const bool timed_out = throws<TimedOut>(
      app, [&]() -> Task<> { co_await with_timeout(Milliseconds(100), db.execute("select pg_sleep(63)")); });
  EXPECT_TRUE(timed_out);
  const std::string slow =
      "select count(*) from pg_stat_activity where query like 'select pg_sleep(63)%' and state = 'active'";
  for (int i = 0; i < 1000 && shared_server().run(slow) != "0"; ++i) std::this_thread::yield();
  EXPECT_EQ(shared_server().run(slow), "0");
}

TEST_F(PostgresPgbouncer, listening_is_refused) {
  const Failure failure = error_of(app, [&]() -> Task<> {
    NotificationStream notifications = db.listen({"a"});
    co_await notifications.next();
  });
  EXPECT_EQ(failure.kind, SqlErrorKind::Statement);
}

}  // namespace
}  // namespace tern::postgres
