// What clients see of a database that has much, is slow, or is in use.
#include "server/client.hpp"
#include "tern/running_app.hpp"

#include <tern/sqlite.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace tern::sqlite {
namespace {

using testing::HttpClient;

constexpr std::size_t mebibyte = 1024 * 1024;
// Sanitizers keep freed memory for a while, and need more of their own.
constexpr std::size_t may_grow = (TERN_SANITIZED ? 400 : 24) * mebibyte;

std::size_t memory(std::string_view kind) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kind)) continue;
    std::size_t kilobytes = 0;
    std::from_chars(line.data() + line.find_first_of("0123456789"), line.data() + line.size(), kilobytes);
    return kilobytes * 1024;
  }
  ADD_FAILURE() << "no " << kind;
  return 0;
}

// How much more memory than at first was resident at any time.
class Growth {
public:
  Growth() : before_((std::ofstream("/proc/self/clear_refs") << "5", memory("VmRSS:"))) {}
  std::size_t bytes() const {
    const std::size_t peak = memory("VmHWM:");
    return peak < before_ ? 0 : peak - before_;
  }

private:
  std::size_t before_;
};

struct Line {
  std::int64_t id = 0;
  std::string text;
};

class SqliteServing : public RunningAppTest {
protected:
  SqliteServing() { app.on_error(sql_problem); }

  Sqlite open(SqliteOptions options = {}) {
    options.path = folder.path / "test.db";
    return Sqlite(options);
  }
  HttpClient client() { return HttpClient(app.port(), 0, false); }
  // The size of a response without a length, and how often it has a byte.
  struct Streamed {
    std::size_t bytes = 0;
    std::size_t lines = 0;
  };
  Streamed stream(const std::string& path) {
    net::Peer peer = connect(app.port());
    peer.send("GET " + path + " HTTP/1.0\r\nHost: test\r\n\r\n");
    Streamed streamed;
    std::string head;
    while (true) {
      const std::string part = peer.receive_some(mebibyte);
      if (part.empty()) return streamed;
      std::string_view content = part;
      if (!head.ends_with("\r\n\r\n")) {
        const std::size_t before = head.size();
        head += part;
        const std::size_t end = head.find("\r\n\r\n");
        if (end == std::string::npos) continue;
        content.remove_prefix(end + 4 - before);
        head.resize(end + 4);
        EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
      }
      streamed.bytes += content.size();
      for (const char c : content) streamed.lines += c == '\n' ? 1 : 0;
    }
  }
};

TEST_F(SqliteServing, a_gigabyte_of_rows_is_streamed_in_flat_memory) {
  constexpr std::size_t rows = TERN_SANITIZED ? 2048 : 16'384;
  const Sqlite db = open();
  app.get("/rows/{count}", [db](std::int64_t count) {
    return Response::stream("text/plain", [db, count](Writer& writer) -> Task<> {
      auto lines = db.each<Line>(
          "with recursive n(id) as (select 1 union all select id + 1 from n where id < $1) "
          "select id, printf('%.*c', 65535, 'x') as text from n",
          count);
      while (auto line = co_await lines.next()) {
        line->text += '\n';
        co_await writer.write(line->text);
      }
    });
  });
  app.start(quiet());
  EXPECT_EQ(stream("/rows/10").bytes, 10U * 65'536);
  const Growth growth;
  const Streamed streamed = stream("/rows/" + std::to_string(rows));
  EXPECT_EQ(streamed.bytes, rows * 65'536);
  EXPECT_EQ(streamed.lines, rows);
  EXPECT_LT(growth.bytes(), may_grow);
}

TEST_F(SqliteServing, a_million_rows_go_out_as_csv_and_as_json_lines) {
  constexpr std::int64_t rows = TERN_SANITIZED ? 20'000 : 1'000'000;
  const Sqlite db = open();
  constexpr const char* numbers =
      "with recursive n(id) as (select 1 union all select id + 1 from n where id < $1) "
      "select id, 'number ' || id as text from n";
  app.get("/csv/{count}", [db](std::int64_t count) {
    return Response::stream("text/csv", [db, count](Writer& writer) -> Task<> {
      auto lines = db.each<Line>(runtime(numbers), count);
      std::string part;
      while (const auto line = co_await lines.next()) {
        part += std::to_string(line->id) + ",\"" + line->text + "\"\r\n";
        if (part.size() > 32'768) co_await writer.write(std::exchange(part, {}));
      }
      co_await writer.write(part);
    });
  });
  app.get("/json/{count}", [db](std::int64_t count) {
    return Response::stream("application/jsonl", [db, count](Writer& writer) -> Task<> {
      auto lines = db.each<Line>(runtime(numbers), count);
      std::string part;
      while (const auto line = co_await lines.next()) {
        json::write(part, *line);
        part += '\n';
        if (part.size() > 32'768) co_await writer.write(std::exchange(part, {}));
      }
      co_await writer.write(part);
    });
  });
  app.start(quiet());
  for (const std::string path : {"/csv/", "/json/"}) {
    stream(path + "1000");
    const Growth growth;
    EXPECT_EQ(stream(path + std::to_string(rows)).lines, static_cast<std::size_t>(rows));
    EXPECT_LT(growth.bytes(), may_grow);
  }
}

TEST_F(SqliteServing, a_slow_statement_ends_when_its_client_leaves) {
  const Sqlite db = open({.statement_timeout = Milliseconds(0)});
  app.get("/slow", [db] {
    return db.scalar<std::int64_t>(
        "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n");
  });
  app.start(quiet());
  {
    HttpClient leaving = client();
    leaving.get("/slow");
    while (db.statistics().in_use == 0) std::this_thread::yield();
  }
  while (db.statistics().cancelled == 0) std::this_thread::yield();
  while (db.statistics().in_use != 0) std::this_thread::yield();
  EXPECT_EQ(db.statistics().errors, 0U);
}

TEST_F(SqliteServing, a_client_that_leaves_while_it_waits_for_the_writer_is_forgotten) {
  const Sqlite db = open({.statement_timeout = Milliseconds(0)});
  app.post("/slow", [db]() -> Task<> {
    co_await db.script("create table if not exists t (x integer)");
    co_await db.execute(
        "insert into t with recursive n(i) as (select 1 union all select i + 1 from n) select i from n");
  });
  app.start(quiet());
  {
    HttpClient first = client();
    first.post("/slow", "");
    while (db.statistics().statements == 0 || db.statistics().in_use == 0) std::this_thread::yield();
    {
      HttpClient second = client();
      second.post("/slow", "");
      while (db.statistics().waiting == 0) std::this_thread::yield();
    }
    while (db.statistics().waiting != 0) std::this_thread::yield();
    EXPECT_EQ(db.statistics().in_use, 1U);
  }
  while (db.statistics().in_use != 0) std::this_thread::yield();
  EXPECT_EQ(db.statistics().refused, 0U);
}

TEST_F(SqliteServing, an_exhausted_pool_is_a_503_until_it_is_not) {
  const Sqlite db = open({.readers = 1, .max_waiting = 0, .statement_timeout = Milliseconds(0)});
  app.get("/slow", [db] {
    return db.scalar<std::int64_t>(
        "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n");
  });
  app.get("/quick", [db] { return db.scalar<int>("select 7"); });
  app.start(quiet());
  HttpClient other = client();
  {
    HttpClient slow = client();
    slow.get("/slow");
    while (db.statistics().in_use == 0) std::this_thread::yield();
    other.get("/quick");
    const auto refused = other.answer();
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.field("content-type"), "application/problem+json");
    EXPECT_EQ(refused.field("retry-after"), "1");
  }
  while (db.statistics().in_use != 0) std::this_thread::yield();
  other.get("/quick");
  EXPECT_EQ(other.answer().body, "7");
  EXPECT_EQ(db.statistics().refused, 1U);
}

TEST_F(SqliteServing, a_slow_client_of_a_stream_has_one_reader) {
  const Sqlite db = open({.readers = 2});
  app.get("/endless", [db] {
    return Response::stream("text/plain", [db](Writer& writer) -> Task<> {
      auto numbers =
          db.each<std::string>("with recursive n(i) as (select 1 union all select i + 1 from n) select hex(i) from n");
      while (const auto number = co_await numbers.next()) co_await writer.write(*number);
    });
  });
  app.get("/quick", [db] { return db.scalar<int>("select 7"); });
  app.start(quiet());
  {
    HttpClient slow = client();
    slow.get("/endless");
    while (db.statistics().in_use == 0) std::this_thread::yield();
    HttpClient other = client();
    for (int i = 0; i < 20; ++i) {
      other.get("/quick");
      EXPECT_EQ(other.answer().body, "7");
    }
    EXPECT_EQ(db.statistics().in_use, 1U);
  }
  while (db.statistics().in_use != 0) std::this_thread::yield();
}

// A page in the middle of the file is not what it was.
TEST_F(SqliteServing, a_damaged_file_is_an_error_of_what_reads_it) {
  {
    const Sqlite maker = open({.sync = SqliteSync::Off});
    app.on_start([&maker]() -> Task<> {
      co_await maker.script("create table small (x integer); create table large (x integer primary key, text text)");
      co_await maker.script(
          "insert into large with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) "
          "select i, printf('%.*c', 3000, 'x') from n");
      co_await maker.script("insert into small values (1)");
    });
    app.start(quiet());
    app.stop();
  }
  {
    std::fstream file(folder.path / "test.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 * 100);
    file << std::string(4096 * 400, '\xff');
  }
  const Sqlite db = open();
  App damaged;
  damaged.on_error(sql_problem);
  damaged.get("/large", [db] { return db.scalar<std::int64_t>("select sum(length(text)) from large"); });
  damaged.get("/small", [db] { return db.scalar<std::int64_t>("select sum(x) from small"); });
  damaged.start(quiet());
  EXPECT_TRUE(get(damaged.port(), "/large").starts_with("HTTP/1.1 500"));
  EXPECT_TRUE(get(damaged.port(), "/small").ends_with("\r\n\r\n1"));
  EXPECT_EQ(db.statistics().errors, 1U);
  damaged.stop();
}

}  // namespace
}  // namespace tern::sqlite
