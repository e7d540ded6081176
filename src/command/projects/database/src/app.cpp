// A collection of notes in a database. /docs shows the operations, and sends requests.
#include "app.hpp"

#include <tern/rules.hpp>

namespace {

struct NewNote {
  std::string title;
  std::string text;
};

struct Note {
  std::int64_t id = 0;
  std::string title;
  std::string text;
};

struct Page {
  int limit = 20;
  int offset = 0;
};

using State = tern::State<Database>;

}  // namespace

template <>
struct tern::Rules<NewNote> {
  static constexpr auto list =
      tern::rules(tern::member<&NewNote::title>(tern::length(1, 200), tern::example("Milk")),
                  tern::member<&NewNote::text>(tern::length(0, 10'000), tern::example("Two litres")));
};

template <>
struct tern::Rules<Page> {
  static constexpr auto list = tern::rules(tern::member<&Page::limit>(tern::range(1, 100)),
                                           tern::member<&Page::offset>(tern::range(0, 1'000'000)));
};

namespace {

tern::Task<std::vector<Note>> list_notes(State database, tern::Query<Page> page) {
  return database->query<Note>("select id, title, text from note order by id limit $1 offset $2", page->limit,
                               page->offset);
}

tern::Task<tern::Created<Note>> add_note(State database, tern::Json<NewNote> note) {
  Note added = co_await database->one<Note>("insert into note (title, text) values ($1, $2) returning id, title, text",
                                            note->title, note->text);
  std::string location = "/notes/" + std::to_string(added.id);
  co_return tern::created(std::move(added), std::move(location));
}

tern::Task<std::optional<Note>> find_note(State database, std::int64_t id) {
  return database->optional<Note>("select id, title, text from note where id = $1", id);  // none: 404
}

tern::Task<> delete_note(State database, std::int64_t id) {
  const std::int64_t deleted = co_await database->execute("delete from note where id = $1", id);
  if (deleted == 0) throw tern::HttpError(tern::Status::NotFound);
}

}  // namespace

void add_routes(tern::App& app, const Database& database) {
  app.state(database);
  app.on_start([database] { return prepare(database); });
  app.on_error(tern::sql_problem);  // 409 for what exists already, 503 while the database is away
  app.get("/", [] { return tern::Redirect("/docs"); });
  app.get("/notes", list_notes);
  app.post("/notes", add_note);
  app.get("/notes/{id}", find_note);
  app.del("/notes/{id}", delete_note);
  app.openapi({.title = "@NAME@", .version = "0.1.0", .docs = "/docs"});
}
