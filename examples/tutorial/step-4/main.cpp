#include <embedded/migrations.hpp>
#include <tern/rules.hpp>
#include <tern/sqlite.hpp>
#include <tern/tern.hpp>

#include <chrono>

using Database = tern::State<tern::Sqlite>;
using Time = std::chrono::sys_seconds;

enum class Kind { garden, wood, metal, other };

struct NewTool {
  std::string name;
  Kind kind = Kind::other;
  std::optional<std::string> note;
};

struct Tool {
  std::int64_t id;
  std::string name;
  Kind kind;
  std::optional<std::string> note;
};

struct Selection {
  std::optional<Kind> kind;
};

struct NewLoan {
  std::string borrower;
};

struct Loan {
  std::int64_t tool;
  std::string borrower;
  Time since;
};

struct PastLoan {
  std::string borrower;
  Time since;
  Time until;
};

template <>
struct tern::Rules<NewTool> {
  static constexpr auto list =
      tern::rules(tern::member<&NewTool::name>(tern::length(1, 80), tern::describe("What is written on it"),
                                               tern::example("Spade")),
                  tern::member<&NewTool::note>(tern::max_length(500)));
};

template <>
struct tern::Rules<NewLoan> {
  static constexpr auto list = tern::rules(tern::member<&NewLoan::borrower>(tern::length(1, 80)));
};

Time now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

tern::HttpError no_such_tool() {
  return tern::HttpError(tern::Status::NotFound, "there is no such tool");
}

tern::Task<std::vector<Tool>> list_tools(Database db, tern::Query<Selection> selection) {
  return db->query<Tool>("select id, name, kind, note from tool where $1 is null or kind = $1 order by id",
                         selection->kind);
}

tern::Task<std::optional<Tool>> find_tool(Database db, std::int64_t id) {
  return db->optional<Tool>("select id, name, kind, note from tool where id = $1", id);
}

tern::Task<tern::Created<Tool>> add_tool(Database db, tern::Json<NewTool> tool) {
  Tool added =
      co_await db->one<Tool>("insert into tool (name, kind, note) values ($1, $2, $3) returning id, name, kind, note",
                             tool->name, tool->kind, tool->note);
  std::string place = "/tools/" + std::to_string(added.id);
  co_return tern::created(std::move(added), std::move(place));
}

tern::Task<> remove_tool(Database db, std::int64_t id) {
  const std::int64_t removed = co_await db->execute("delete from tool where id = $1", id);
  if (removed == 0) throw no_such_tool();
}

// A second loan of a tool violates the key of the table: 409.
tern::Task<Loan> lend(Database db, std::int64_t id, tern::Json<NewLoan> loan) {
  const auto made = co_await db->optional<Loan>(
      "insert into loan (tool, borrower, since) select id, $2, $3 from tool where id = $1 "
      "returning tool, borrower, since",
      id, loan->borrower, now());
  if (!made) throw no_such_tool();
  co_return *made;
}

tern::Task<> give_back(Database db, std::int64_t id) {
  co_await db->transaction([&](auto& tx) -> tern::Task<> {
    const auto moved = co_await tx.execute(
        "insert into past_loan (tool, borrower, since, until) "
        "select tool, borrower, since, $2 from loan where tool = $1",
        id, now());
    if (moved == 0) throw tern::HttpError(tern::Status::NotFound, "the tool is in the shed");
    co_await tx.execute("delete from loan where tool = $1", id);
  });
}

tern::Task<std::vector<PastLoan>> history(Database db, std::int64_t id) {
  return db->query<PastLoan>(
      "select borrower, since, until from past_loan where tool = $1 order by until desc limit 100", id);
}

int main() {
  const tern::Sqlite db({.path = "shed.db"});

  tern::App app;
  app.state(db);
  app.on_start([db]() -> tern::Task<> { co_await db.migrate(embedded::migrations); });
  app.on_error(tern::sql_problem);
  app.get("/", [] { return tern::Redirect("/docs"); }).hide();

  auto tools = app.group("/tools").name("tools");
  tools.get("", list_tools).name("list").summary("All tools, or those of a kind");
  tools.post("", add_tool).name("add").summary("Adds a tool");
  tools.get("/{id}", find_tool).name("find").summary("One tool");
  tools.del("/{id}", remove_tool)
      .name("remove")
      .summary("Removes a tool")
      .problem(tern::Status::NotFound, "There is no such tool")
      .problem(tern::Status::Conflict, "It is lent");
  tools.post("/{id}/loan", lend)
      .name("lend")
      .summary("Lends a tool")
      .problem(tern::Status::NotFound, "There is no such tool")
      .problem(tern::Status::Conflict, "It is lent already");
  tools.del("/{id}/loan", give_back)
      .name("give_back")
      .summary("Takes a tool back")
      .problem(tern::Status::NotFound, "It is in the shed");
  tools.get("/{id}/history", history).name("history").summary("Who had it, the last first");

  app.openapi({.title = "The shed", .version = "1.0.0", .docs = "/docs"});
  return app.run({.port = 8080});
}
