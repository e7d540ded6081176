#include "app.hpp"

#include <embedded/migrations.hpp>
#include <tern/rules.hpp>

#include <chrono>

namespace {

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

struct NewMember {
  std::string name;
  std::string password;
};

struct Login {
  std::string name;
  std::string password;
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

}  // namespace

template <>
struct tern::Rules<NewTool> {
  static constexpr auto list =
      tern::rules(tern::member<&NewTool::name>(tern::length(1, 80), tern::describe("What is written on it"),
                                               tern::example("Spade")),
                  tern::member<&NewTool::note>(tern::max_length(500)));
};

template <>
struct tern::Rules<NewMember> {
  static constexpr auto list =
      tern::rules(tern::member<&NewMember::name>(tern::length(1, 40),
                                                 tern::pattern("^[a-z0-9-]+$", "has letters, digits and - only")),
                  tern::member<&NewMember::password>(tern::length(12, 200)));
};

namespace {

struct Figures {
  tern::Counter loans;
  tern::Counter returns;
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
tern::Task<Loan> lend(tern::Request& request, Database db, std::int64_t id, tern::Identity<Member> member,
                      tern::State<Figures> figures) {
  const auto made = co_await db->optional<Loan>(
      "insert into loan (tool, borrower, since) select id, $2, $3 from tool where id = $1 "
      "returning tool, borrower, since",
      id, member->name, now());
  if (!made) throw no_such_tool();
  figures->loans.add();
  request.log(tern::LogLevel::Info, "lent", {{"tool", id}, {"to", member->name}});
  co_return *made;
}

tern::Task<> give_back(Database db, std::int64_t id, tern::Identity<Member> member, tern::State<Figures> figures) {
  co_await db->transaction([&](auto& tx) -> tern::Task<> {
    const auto moved = co_await tx.execute(
        "insert into past_loan (tool, borrower, since, until) "
        "select tool, borrower, since, $2 from loan where tool = $1 and borrower = $3",
        id, now(), member->name);
    if (moved == 0) throw tern::HttpError(tern::Status::NotFound, "you do not have this tool");
    co_await tx.execute("delete from loan where tool = $1", id);
  });
  figures->returns.add();
}

tern::Task<std::vector<PastLoan>> history(Database db, std::int64_t id) {
  return db->query<PastLoan>(
      "select borrower, since, until from past_loan where tool = $1 order by until desc limit 100", id);
}

tern::Task<tern::Created<Member>> join(Database db, tern::State<tern::Passwords> passwords,
                                       tern::Json<NewMember> member) {
  const std::string hash = co_await passwords->hash(member->password);
  co_await db->execute("insert into member (name, password) values ($1, $2)", member->name, hash);
  co_return tern::created(Member{member->name}, "/me");
}

tern::Task<Member> log_in(Database db, tern::State<tern::Passwords> passwords, tern::Session<Member> session,
                          tern::Json<Login> login) {
  const auto hash = co_await db->optional<std::string>("select password from member where name = $1", login->name);
  const auto check = co_await passwords->verify(login->password, hash);
  if (check == tern::PasswordCheck::Wrong) throw tern::HttpError(tern::Status::Forbidden, "name or password is wrong");
  Member member{login->name};
  session.login(member.name, member);
  co_return member;
}

}  // namespace

void add_routes(tern::App& app, Services& services) {
  app.use(tern::RequestIds());
  app.state(Figures{
      .loans = app.metrics().counter("shed_loans", "Tools that were lent."),
      .returns = app.metrics().counter("shed_returns", "Tools that were given back."),
  });
  app.admin({.port = 9090}).check("database", [db = services.db]() -> tern::Task<> {
    co_await db.scalar<std::int64_t>("select 1");
  });

  app.state(services.db);
  app.state(tern::Passwords());
  app.use(tern::Sessions<Member>({.store = &services.sessions}));
  app.use(tern::SessionIdentity<Member>());
  app.on_start([db = services.db]() -> tern::Task<> { co_await db.migrate(embedded::migrations); });
  app.on_error(tern::sql_problem);
  app.get("/", [] { return tern::Redirect("/docs"); }).hide();

  app.post("/members", join).name("members.join").summary("Makes an account");
  app.post("/login", log_in)
      .name("login")
      .summary("Begins a session")
      .problem(tern::Status::Forbidden, "The name or the password is wrong")
      .use(tern::RateLimit({.limit = 5, .window = tern::Seconds(300), .counts = tern::RateCount::Failures}));
  app.post("/logout", [](tern::Session<Member> session) { session.destroy(); }).name("logout").summary("Ends it");
  app.get("/me", [](tern::Identity<Member> member) { return *member; })
      .name("me")
      .summary("Who am I?")
      .problem(tern::Status::Forbidden, "Log in first");

  auto tools = app.group("/tools").name("tools");
  tools.get("", list_tools).name("list").summary("All tools, or those of a kind");
  tools.get("/{id}", find_tool).name("find").summary("One tool");
  tools.get("/{id}/history", history).name("history").summary("Who had it, the last first");

  auto for_members = tools.group("").use(tern::require_identity()).problem(tern::Status::Forbidden, "Log in first");
  for_members.post("", add_tool).name("add").summary("Adds a tool");
  for_members.del("/{id}", remove_tool)
      .name("remove")
      .summary("Removes a tool")
      .problem(tern::Status::NotFound, "There is no such tool")
      .problem(tern::Status::Conflict, "It is lent");
  for_members.post("/{id}/loan", lend)
      .name("lend")
      .summary("Lends a tool")
      .problem(tern::Status::NotFound, "There is no such tool")
      .problem(tern::Status::Conflict, "It is lent already");
  for_members.del("/{id}/loan", give_back)
      .name("give_back")
      .summary("Takes a tool back")
      .problem(tern::Status::NotFound, "You do not have it");

  app.openapi({.title = "The shed", .version = "1.0.0", .docs = "/docs"});
}
