// A collection of notes in memory. /docs shows the operations, and sends requests.
#include "app.hpp"

#include <tern/rules.hpp>

#include <map>

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

struct Collection {
  std::int64_t last = 0;
  std::map<std::int64_t, Note> notes;
};

// All loops share it, so it is behind a mutex.
using Notes = tern::Shared<Collection>;

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

std::vector<Note> list_notes(tern::State<Notes> notes, tern::Query<Page> page) {
  const auto locked = notes->lock();
  std::vector<Note> found;
  std::int64_t index = 0;
  for (const auto& [id, note] : locked->notes) {
    if (index++ < page->offset) continue;
    if (static_cast<int>(found.size()) == page->limit) break;
    found.push_back(note);
  }
  return found;
}

tern::Created<Note> add_note(tern::State<Notes> notes, tern::Json<NewNote> note) {
  const auto locked = notes->lock();
  const std::int64_t id = ++locked->last;
  const Note& added = locked->notes.emplace(id, Note{id, note->title, note->text}).first->second;
  return tern::created(added, "/notes/" + std::to_string(id));
}

std::optional<Note> find_note(tern::State<Notes> notes, std::int64_t id) {
  const auto locked = notes->lock();
  const auto found = locked->notes.find(id);
  if (found == locked->notes.end()) return std::nullopt;  // 404
  return found->second;
}

void delete_note(tern::State<Notes> notes, std::int64_t id) {
  if (notes->lock()->notes.erase(id) == 0) throw tern::HttpError(tern::Status::NotFound);
}

}  // namespace

void add_routes(tern::App& app) {
  app.state(Notes());
  app.get("/", [] { return tern::Redirect("/docs"); });
  app.get("/notes", list_notes);
  app.post("/notes", add_note);
  app.get("/notes/{id}", find_note);
  app.del("/notes/{id}", delete_note);
  app.openapi({.title = "@NAME@", .version = "0.1.0", .docs = "/docs"});
}
