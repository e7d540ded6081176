// /notes: a small collection in memory that can be read and written.
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

// What a client sends to make a note, or to replace one.
struct NewNote {
  std::string title;
  std::string text;
  std::vector<std::string> tags;
  bool done = false;
};

// What it sends to change one: what is missing stays as it is.
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
  std::optional<std::string> q;  // part of title or text, in any case of letters
  std::optional<std::string> tag;
  std::optional<bool> done;
};

// The notes themselves. All loops use one of these at once, as tern::State, which is const: so its functions are const
// too, and it locks by itself. What it gives out are copies.
class Notebook {
public:
  static constexpr std::size_t capacity = 1000;

  // Nothing when it is full.
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

// An empty text is no note's default in the eyes of reflection, so what may be missing is said here.
template <>
struct tern::JsonDefaults<showcase::NewNote> {
  static constexpr std::string_view may_be_missing[] = {"text", "tags", "done"};
};
