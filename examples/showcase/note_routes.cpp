#include "notes.hpp"

#include <algorithm>
#include <utility>

namespace showcase {
namespace {

constexpr tern::Limits note_limits{.max_body_bytes = 64 * 1024};
constexpr std::size_t max_title = 100;  // characters
constexpr std::size_t max_text = 4000;  // characters
constexpr std::size_t max_tags = 10;
constexpr std::size_t max_tag = 30;  // characters

using Notes = tern::State<Notebook>;

// In UTF-8, every byte except the continuations begins a character.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Validates a note whose members have the right types; lists every invalid member by name.
class Check {
public:
  void title(const std::string& title) {
    if (is_blank(title)) fail("/title", "expected some text");
    if (length(title) > max_title) fail("/title", "expected at most 100 characters");
  }
  void text(const std::string& text) {
    if (length(text) > max_text) fail("/text", "expected at most 4000 characters");
  }
  void tags(const std::vector<std::string>& tags) {
    if (tags.size() > max_tags) return fail("/tags", "expected at most 10 tags");
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (!is_blank(tags[i]) && length(tags[i]) <= max_tag) continue;
      fail("/tags/" + std::to_string(i), "expected 1 to 30 characters");
    }
  }

  // Responds with 422 if any member is invalid.
  void finish() && {
    if (!problem_.errors.empty()) throw tern::HttpError(std::move(problem_));
  }

private:
  void fail(std::string pointer, std::string detail) {
    problem_.errors.push_back({std::move(pointer), std::move(detail)});
  }
  tern::Problem problem_{tern::Status::UnprocessableContent, "some members of the content are wrong", {}, {}};
};

NewNote checked(NewNote note) {
  Check check;
  check.title(note.title);
  check.text(note.text);
  check.tags(note.tags);
  std::move(check).finish();
  return note;
}

NotePatch checked(NotePatch patch) {
  Check check;
  if (patch.title) check.title(*patch.title);
  if (patch.text) check.text(*patch.text);
  if (patch.tags) check.tags(*patch.tags);
  std::move(check).finish();
  return patch;
}

tern::Task<Page<Note>> list_notes(Notes notes, Window window, tern::Query<NoteFilter> filter) {
  return notes->page(window, std::move(*filter));
}

tern::Task<tern::Created<Note>> add_note(Notes notes, tern::Json<NewNote> content) {
  NewNote wanted = checked(std::move(*content));
  auto note = co_await notes->add(std::move(wanted));
  if (!note) throw tern::HttpError(tern::Status::InsufficientStorage, "there are 1000 notes already: delete one first");
  std::string location = "/notes/" + std::to_string(note->id);
  co_return tern::created(std::move(*note), std::move(location));
}

tern::Task<std::optional<Note>> one_note(Notes notes, std::int64_t id) {
  return notes->find(id);
}

tern::Task<std::optional<Note>> replace_note(Notes notes, std::int64_t id, tern::Json<NewNote> content) {
  NewNote note = checked(std::move(*content));
  return notes->change(id, {std::move(note.title), std::move(note.text), std::move(note.tags), note.done});
}

tern::Task<std::optional<Note>> change_note(Notes notes, std::int64_t id, tern::Json<NotePatch> content) {
  return notes->change(id, checked(std::move(*content)));
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
  notes.get("", list_notes).name("notes");
  notes.post("", add_note).name("makes a note").limits(note_limits).problem(tern::Status::InsufficientStorage);
  notes.get("/{id}", one_note).name("a note");
  notes.put("/{id}", replace_note).name("replaces a note").limits(note_limits);
  notes.patch("/{id}", change_note).name("changes a note").limits(note_limits);
  notes.del("/{id}", remove_note)
      .name("deletes a note")
      .response<void>(tern::Status::NoContent, "It is deleted")
      .problem(tern::Status::NotFound);
}

}  // namespace showcase
