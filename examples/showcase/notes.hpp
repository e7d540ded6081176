// /notes: a small collection in a database that clients can read and write.
#pragma once

#include "../database/open.hpp"
#include "paging.hpp"

#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace showcase {

// The content of a request that creates or replaces a note.
struct NewNote {
  std::string title;
  std::string text;
  std::vector<std::string> tags;
  bool done = false;
};

// The content of a request that changes a note: missing members stay unchanged.
struct NotePatch {
  std::optional<std::string> title;
  std::optional<std::string> text;
  std::optional<std::vector<std::string>> tags;
  std::optional<bool> done;
};

struct Note {
  std::int64_t id = 0;
  std::string title;
  std::string text;
  std::vector<std::string> tags;
  bool done = false;
  std::chrono::sys_seconds created;
  std::chrono::sys_seconds changed;
};

struct NoteFilter {
  std::optional<std::string> q;  // part of title or text, case-insensitively
  std::optional<std::string> tag;
  std::optional<bool> done;
};

// The notes in the database. Its statements are those that SQLite and PostgreSQL have in common.
class Notebook {
public:
  static constexpr std::int64_t capacity = 1000;

  explicit Notebook(examples::Database database) : database_(std::move(database)) {}

  // Creates the tables, or finds them as they are.
  tern::Task<> prepare() const;

  // Unset if the notebook is full.
  tern::Task<std::optional<Note>> add(NewNote note) const;
  tern::Task<std::optional<Note>> find(std::int64_t id) const;
  // Unset if there is none.
  tern::Task<std::optional<Note>> change(std::int64_t id, NotePatch patch) const;
  tern::Task<bool> remove(std::int64_t id) const;
  tern::Task<Page<Note>> page(Window window, NoteFilter filter) const;

private:
  const tern::sql::Database& db() const { return *database_.handle; }

  examples::Database database_;
};

void add_note_routes(tern::App& app, examples::Database database);

}  // namespace showcase

// The same for a new note and for a change. Lengths are in characters.
namespace showcase {
inline constexpr auto has_text = tern::pattern("[^ \\t\\r\\n]", "expected some text");

template <class T>
inline constexpr auto rules_of_note = tern::rules(
    tern::member<&T::title>(tern::max_length(100), has_text), tern::member<&T::text>(tern::max_length(4000)),
    tern::member<&T::tags>(tern::max_items(10), tern::each(tern::max_length(30), has_text)));
}  // namespace showcase

template <>
struct tern::Rules<showcase::NewNote> {
  static constexpr auto list = showcase::rules_of_note<showcase::NewNote>;
};
template <>
struct tern::Rules<showcase::NotePatch> {
  static constexpr auto list = showcase::rules_of_note<showcase::NotePatch>;
};

// Reflection cannot see an empty text as a default, so the optional members are listed here.
template <>
struct tern::JsonDefaults<showcase::NewNote> {
  static constexpr std::string_view may_be_missing[] = {"text", "tags", "done"};
};
