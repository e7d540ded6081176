// /notes: a small collection in memory that clients can read and write.
#pragma once

#include "paging.hpp"

#include <tern/tern.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
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

// The notes. All loops use one object at once, as tern::State, which is const: its functions are const and lock it.
// They return copies.
class Notebook {
public:
  static constexpr std::size_t capacity = 1000;

  // Unset if the notebook is full.
  std::optional<Note> add(NewNote note) const;
  std::optional<Note> find(std::int64_t id) const;
  std::optional<Note> replace(std::int64_t id, NewNote note) const;
  std::optional<Note> change(std::int64_t id, NotePatch patch) const;
  bool remove(std::int64_t id) const;
  Page<Note> page(const Window& window, const NoteFilter& filter) const;

private:
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, Note> notes_;
  mutable std::int64_t last_id_ = 0;
};

void add_note_routes(tern::App& app);

}  // namespace showcase

// Reflection cannot see an empty text as a default, so the optional members are listed here.
template <>
struct tern::JsonDefaults<showcase::NewNote> {
  static constexpr std::string_view may_be_missing[] = {"text", "tags", "done"};
};
