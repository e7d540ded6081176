// Point reads and small writes of SQLite, by tern::Sqlite or by the C interface. Prints the operations, the seconds and
// the CPU seconds.
//
//   bench-sqlite tern|raw read|write FILE MILLISECONDS
#include <tern/async.hpp>
#include <tern/base/number.hpp>
#include <tern/net/thread_pool.hpp>
#include <tern/sqlite.hpp>
#include <tern/tern.hpp>

#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t rows = 100'000;
constexpr int coroutines = 64;

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::optional<int> year;
};

// The next of a sequence of ids that is the same in each run.
class Ids {
public:
  explicit Ids(std::uint32_t seed) : state_(seed * 2654435761U + 1) {}
  std::int64_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return 1 + static_cast<std::int64_t>(state_ >> 8U) % rows;
  }

private:
  std::uint32_t state_;
};

void require(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(what);
}

struct Measured {
  std::uint64_t operations = 0;
  double seconds = 0;
  double cpu = 0;
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

tern::SqliteOptions options_of(const std::string& path) {
  return {.path = path, .sync = tern::SqliteSync::Normal};
}

tern::Task<> prepare(tern::Sqlite db) {
  const auto exists = co_await db.scalar<int>("select count(*) from sqlite_schema where name = 'book'");
  if (exists != 0) co_return;
  co_await db.script(
      "create table book (id integer primary key, title text not null, year integer);"
      "insert into book with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)"
      " select i, 'The title of book ' || i, 1500 + i % 500 from n");
}

// --- The C interface: a connection for each thread, with one prepared statement. The threads have the priority of
// those of tern's pool: other load of the machine would slow down one side only.

class Raw {
public:
  Raw(const std::string& path, const char* text) {
    require(
        sqlite3_open_v2(path.c_str(), &connection_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) == SQLITE_OK,
        "open");
    sqlite3_busy_timeout(connection_, 1000);
    require(sqlite3_exec(connection_, "pragma synchronous = normal", nullptr, nullptr, nullptr) == SQLITE_OK, "pragma");
    require(sqlite3_prepare_v3(connection_, text, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) == SQLITE_OK,
            "prepare");
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  ~Raw() {
    sqlite3_finalize(statement_);
    sqlite3_close(connection_);
  }

  Book read(std::int64_t id) {
    sqlite3_bind_int64(statement_, 1, id);
    require(sqlite3_step(statement_) == SQLITE_ROW, "no row");
    Book book;
    book.id = sqlite3_column_int64(statement_, 0);
    book.title = reinterpret_cast<const char*>(sqlite3_column_text(statement_, 1));
    if (sqlite3_column_type(statement_, 2) != SQLITE_NULL) book.year = sqlite3_column_int(statement_, 2);
    sqlite3_reset(statement_);
    return book;
  }
  void write(std::int64_t id) {
    sqlite3_bind_int64(statement_, 1, id);
    require(sqlite3_step(statement_) == SQLITE_DONE, "no write");
    sqlite3_reset(statement_);
  }

private:
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

std::uint64_t raw_thread(const std::string& path, bool reads, std::uint32_t seed, Clock::time_point end) {
  const tern::ThreadPoolOptions pool;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), pool.nice);
  Raw raw(path,
          reads ? "select id, title, year from book where id = ?1" : "update book set year = year + 1 where id = ?1");
  Ids ids(seed);
  std::uint64_t done = 0;
  while (done % 64 != 0 || Clock::now() < end) {
    if (reads) {
      const Book book = raw.read(ids.next());
      require(!book.title.empty(), "no title");
    } else {
      raw.write(ids.next());
    }
    ++done;
  }
  return done;
}

Measured measure_raw(const std::string& path, bool reads, std::chrono::duration<double> length) {
  const unsigned threads = reads ? std::max(1U, std::thread::hardware_concurrency()) : 1;  // SQLite has one writer
  const double cpu = cpu_seconds();
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(length);
  std::atomic<std::uint64_t> operations = 0;
  {
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i) {
      running.emplace_back([&, i] { operations += raw_thread(path, reads, i, end); });
    }
  }
  return {operations, std::chrono::duration<double>(Clock::now() - begin).count(), cpu_seconds() - cpu};
}

// --- tern::Sqlite: 64 coroutines of one loop.

tern::Task<> use(const tern::Sqlite& db, bool reads, std::uint32_t seed, Clock::time_point end, std::uint64_t& done) {
  Ids ids(seed);
  while (Clock::now() < end) {
    const std::int64_t id = ids.next();
    if (reads) {
      const Book book = co_await db.one<Book>("select id, title, year from book where id = $1", id);
      require(!book.title.empty(), "no title");
    } else {
      co_await db.execute("update book set year = year + 1 where id = $1", id);
    }
    ++done;
  }
}

Measured measure_tern(const std::string& path, bool reads, std::chrono::duration<double> length) {
  const tern::Sqlite db(options_of(path));
  tern::App app;
  tern::Options options;
  options.port = 0;
  options.threads = 1;
  options.logging.level = tern::LogLevel::Error;
  Measured measured;
  std::atomic<bool> over = false;
  app.start(options);
  app.spawn([&]() -> tern::Task<> {
    const double cpu = cpu_seconds();
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration_cast<Clock::duration>(length);
    tern::Scope scope;
    for (std::uint32_t i = 0; i < coroutines; ++i) scope.spawn(use(db, reads, i, end, measured.operations));
    co_await scope.join();
    measured.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    measured.cpu = cpu_seconds() - cpu;
    over = true;
    over.notify_one();
  });
  over.wait(false);
  app.stop();
  return measured;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: bench-sqlite tern|raw read|write FILE MILLISECONDS\n", stderr);
    return 2;
  }
  const std::string_view side = argv[1];
  const bool reads = std::string_view(argv[2]) == "read";
  const std::string path = argv[3];
  const auto milliseconds = tern::base::parse_integer<std::uint32_t>(argv[4]);
  if (!milliseconds) return 2;
  {
    const tern::Sqlite db(options_of(path));
    tern::Task<> task = prepare(db);
    if (!task.start(nullptr, nullptr)) return 1;
    task.result();
  }
  const std::chrono::duration<double> length(static_cast<double>(*milliseconds) / 1000);
  const Measured measured = side == "tern" ? measure_tern(path, reads, length) : measure_raw(path, reads, length);
  std::printf("%llu %.6f %.6f\n", static_cast<unsigned long long>(measured.operations), measured.seconds, measured.cpu);
}
