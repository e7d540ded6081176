// The steps of a served request's trace, with a real PostgreSQL.
#include "observe/serving_traces.hpp"
#include "postgres/postgres_testing.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PostgresTraces : public ServingTraces {
protected:
  PostgresTraces() {
    app.get("/prepare", [this]() -> Task<> { co_await db.script("create table book (id int, title text)"); });
    app.get("/rows", [this]() -> Task<std::string> {
      auto rows = db.each<int>("select x from generate_series(1, 300) as x");
      int sum = 0;
      while (const auto row = co_await rows.next()) sum += *row;
      co_return std::to_string(sum);
    });
    app.get("/transaction", [this]() -> Task<> {
      co_await db.transaction([](auto& tx) -> Task<> { co_await tx.execute("insert into book values ($1, 'a')", 1); });
    });
    app.get("/failure", [this]() -> Task<> {
      co_await db.transaction([](auto& tx) -> Task<> { co_await tx.execute("insert into missing values (1)"); });
    });
  }
  // Those of a request to `path`, after one to /prepare: "name detail rows !" and which is whose parent is checked.
  std::vector<std::string> steps(const std::string& path) {
    start(1);
    ask("/prepare");
    ask(path);
    std::vector<std::string> lines;
    SpanId request{};
    for (const FinishedSpan& span : spans()) {
      if (span.is_request) request = span.name == "GET " + path ? span.id : SpanId{};
    }
    for (const FinishedSpan& span : exported.all) {
      if (span.parent != request) continue;
      EXPECT_EQ(attribute(span, "db.system.name"), SpanValue(std::string("postgresql")));
      EXPECT_EQ(attribute(span, "db.operation.name"), SpanValue(std::string(span.name)));
      EXPECT_LT(span.start, span.end);
      std::string line(span.name);
      line += ": " + std::get<std::string>(attribute(span, "db.query.text"));
      const SpanValue rows = attribute(span, "db.response.returned_rows");
      if (const auto* const count = std::get_if<std::int64_t>(&rows)) line += ", " + std::to_string(*count) + " rows";
      if (span.failed) line += " !" + std::get<std::string>(attribute(span, "db.response.status_code"));
      lines.push_back(line);
    }
    return lines;
  }

  testing::PostgresSchema schema{shared_server()};
  Postgres db{schema.url()};
};

TEST_F(PostgresTraces, show_statements_scripts_and_batches) {
  app.get("/statements", [this]() -> Task<int> {
    co_await db.execute("insert into book values ($1, $2)", 1, "secret");
    const auto count = co_await db.scalar<std::int64_t>(runtime("select count(*) from book -- secret"));
    co_return static_cast<int>(count);
  });
  EXPECT_THAT(steps("/statements"), ElementsAre("insert: insert into book values ($1, $2)", "select: ?"));
}

TEST_F(PostgresTraces, show_the_rows_of_each_as_one_step) {
  EXPECT_THAT(steps("/rows"), ElementsAre("select: select x from generate_series(1, 300) as x, 300 rows"));
}

TEST_F(PostgresTraces, show_begin_and_commit) {
  EXPECT_THAT(steps("/transaction"),
              ElementsAre("begin: begin", "insert: insert into book values ($1, 'a')", "commit: commit"));
}

TEST_F(PostgresTraces, show_rollback_and_the_state_of_the_error) {
  EXPECT_THAT(steps("/failure"),
              ElementsAre("begin: begin", "insert: insert into missing values (1) !42P01", "rollback: rollback"));
}

TEST_F(PostgresTraces, show_copy_in_and_out) {
  app.get("/copy", [this]() -> Task<> {
    const auto produce = [](CopyWriter& writer) -> Task<> { co_await writer.write("1\ta\n2\tb\n"); };
    co_await db.copy_in("copy book from stdin", produce);
    CopyReader reader = db.copy_out("copy book to stdout");
    while (const auto row = co_await reader.next()) EXPECT_TRUE(row->ends_with("\n"));
  });
  EXPECT_THAT(steps("/copy"), ElementsAre("copy: copy book from stdin, 2 rows", "copy: copy book to stdout, 2 rows"));
}

TEST_F(PostgresTraces, show_a_copy_that_fails) {
  app.get("/copy", [this]() -> Task<> {
    const auto produce = [](CopyWriter& writer) -> Task<> { co_await writer.write("no number\ta\n"); };
    co_await db.copy_in("copy book from stdin", produce);
  });
  EXPECT_THAT(steps("/copy"), ElementsAre("copy: copy book from stdin, 0 rows !22P02"));
}

}  // namespace
}  // namespace tern::postgres
