#include "notes.hpp"

#include <utility>

namespace showcase {
namespace {

constexpr tern::Limits note_limits{.max_body_bytes = 64 * 1024};

using Notes = tern::State<Notebook>;

tern::Task<Page<Note>> list_notes(Notes notes, Window window, tern::Query<NoteFilter> filter) {
  return notes->page(window, std::move(*filter));
}

tern::Task<tern::Created<Note>> add_note(Notes notes, tern::Json<NewNote> content) {
  auto note = co_await notes->add(std::move(*content));
  if (!note) throw tern::HttpError(tern::Status::InsufficientStorage, "there are 1000 notes already: delete one first");
  std::string location = "/notes/" + std::to_string(note->id);
  co_return tern::created(std::move(*note), std::move(location));
}

tern::Task<std::optional<Note>> one_note(Notes notes, std::int64_t id) {
  return notes->find(id);
}

tern::Task<std::optional<Note>> replace_note(Notes notes, std::int64_t id, tern::Json<NewNote> content) {
  return notes->change(id,
                       {std::move(content->title), std::move(content->text), std::move(content->tags), content->done});
}

tern::Task<std::optional<Note>> change_note(Notes notes, std::int64_t id, tern::Json<NotePatch> content) {
  return notes->change(id, std::move(*content));
}

tern::Task<tern::Status> remove_note(Notes notes, std::int64_t id) {
  const bool removed = co_await notes->remove(id);
  co_return removed ? tern::Status::NoContent : tern::Status::NotFound;
}

}  // namespace

void add_note_routes(tern::App& app, examples::Database database) {
  const Notebook notebook(std::move(database));
  app.state(notebook);
  app.on_start([notebook]() -> tern::Task<> { co_await notebook.prepare(); });
  app.on_error(tern::sql_problem);
  auto notes = app.group("/notes");
  notes.tags({"Notes"});
  notes.get("", list_notes).name("notes").description("All notes, or those with a text or a tag, a page at a time.");
  notes.post("", add_note)
      .name("makes a note")
      .description("Adds a note, unless there are 1000 already.")
      .limits(note_limits)
      .problem(tern::Status::InsufficientStorage);
  notes.get("/{id}", one_note).name("a note").description("One note.");
  notes.put("/{id}", replace_note)
      .name("replaces a note")
      .description("Replaces all that a client may set.")
      .limits(note_limits);
  notes.patch("/{id}", change_note)
      .name("changes a note")
      .description("Changes the members that are there.")
      .limits(note_limits);
  notes.del("/{id}", remove_note)
      .name("deletes a note")
      .description("Deletes a note for good.")
      .response<void>(tern::Status::NoContent, "It is deleted")
      .problem(tern::Status::NotFound);
}

}  // namespace showcase
