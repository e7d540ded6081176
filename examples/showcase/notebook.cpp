#include "fold.hpp"
#include "notes.hpp"

#include <algorithm>
#include <utility>

namespace showcase {
namespace {

std::chrono::sys_seconds now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

bool fits(const Note& note, const NoteFilter& filter) {
  if (filter.done && note.done != *filter.done) return false;
  if (filter.tag && !filter.tag->empty() && std::ranges::find(note.tags, *filter.tag) == note.tags.end()) return false;
  if (!filter.q) return true;
  const std::string q = fold(*filter.q);
  return fold(note.title).find(q) != std::string::npos || fold(note.text).find(q) != std::string::npos;
}

}  // namespace

std::optional<Note> Notebook::add(NewNote note) const {
  const std::lock_guard lock(mutex_);
  if (notes_.size() >= capacity) return std::nullopt;
  const std::int64_t id = ++last_id_;
  const auto time = now();
  return notes_
      .emplace(id, Note{id, std::move(note.title), std::move(note.text), std::move(note.tags), note.done, time, time})
      .first->second;
}

std::optional<Note> Notebook::find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find(id);
  if (found == notes_.end()) return std::nullopt;
  return found->second;
}

std::optional<Note> Notebook::replace(std::int64_t id, NewNote note) const {
  return change(id, {std::move(note.title), std::move(note.text), std::move(note.tags), note.done});
}

std::optional<Note> Notebook::change(std::int64_t id, NotePatch patch) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find(id);
  if (found == notes_.end()) return std::nullopt;
  Note& note = found->second;
  if (patch.title) note.title = std::move(*patch.title);
  if (patch.text) note.text = std::move(*patch.text);
  if (patch.tags) note.tags = std::move(*patch.tags);
  if (patch.done) note.done = *patch.done;
  note.changed = now();
  return note;
}

bool Notebook::remove(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  return notes_.erase(id) == 1;
}

Page<Note> Notebook::page(const Window& window, const NoteFilter& filter) const {
  const std::lock_guard lock(mutex_);
  Pager<Note> pager(window);
  for (const auto& [id, note] : notes_) {
    if (fits(note, filter)) pager.add(note);
  }
  return std::move(pager).finish();
}

}  // namespace showcase
