#include "fold.hpp"
#include "notes.hpp"

#include <utility>

namespace showcase {
namespace {

constexpr const char* sqlite_schema = R"(
  create table note (
    id integer primary key autoincrement,
    title text not null,
    text text not null,
    tags text not null,
    done integer not null,
    created text not null,
    changed text not null,
    title_folded text not null,
    text_folded text not null
  ) strict;
  create table note_tag (
    note integer not null references note(id) on delete cascade,
    tag text not null,
    primary key (note, tag)
  ) strict, without rowid;
  create index note_tag_by_tag on note_tag(tag);
)";

constexpr const char* postgres_schema = R"(
  create table note (
    id bigint generated always as identity primary key,
    title text not null,
    text text not null,
    tags text not null,
    done boolean not null,
    created timestamptz not null,
    changed timestamptz not null,
    title_folded text not null,
    text_folded text not null
  );
  create table note_tag (
    note bigint not null references note(id) on delete cascade,
    tag text not null,
    primary key (note, tag)
  );
  create index note_tag_by_tag on note_tag(tag);
)";

using Tags = tern::Json<std::vector<std::string>>;

// A note as it is in its table.
struct Row {
  std::int64_t id = 0;
  std::string title;
  std::string text;
  Tags tags;
  bool done = false;
  std::chrono::sys_seconds created;
  std::chrono::sys_seconds changed;
};

Note note_of(Row row) {
  return {row.id, std::move(row.title), std::move(row.text), std::move(*row.tags), row.done, row.created, row.changed};
}

std::chrono::sys_seconds now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// The pattern of LIKE that finds a part of a folded text.
std::string pattern_of(const std::optional<std::string>& part) {
  std::string pattern = "%";
  for (const char c : fold(part.value_or(""))) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + '%';
}

std::optional<std::string> folded(const std::optional<std::string>& text) {
  return text ? std::optional(fold(*text)) : std::nullopt;
}

// The tags again, as rows that can be searched.
tern::Task<> index_tags(tern::Transaction& transaction, std::int64_t note, const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) {
    co_await transaction.execute("insert into note_tag (note, tag) values ($1, $2) on conflict do nothing", note, tag);
  }
}

}  // namespace

tern::Task<> Notebook::prepare() const {
  std::vector<tern::sql::Migration> migrations = {
      {"0001_notes.sql", database_.is_postgres ? postgres_schema : sqlite_schema}};
  co_await db().migrate(std::move(migrations));
}

tern::Task<std::optional<Note>> Notebook::add(NewNote note) const {
  const Tags tags{{note.tags}};
  co_return co_await db().transaction([&](tern::Transaction& transaction) -> tern::Task<std::optional<Note>> {
    const auto count = co_await transaction.scalar<std::int64_t>("select count(*) from note");
    if (count >= capacity) co_return std::nullopt;
    Row row = co_await transaction.one<Row>(
        "insert into note (title, text, tags, done, created, changed, title_folded, text_folded) "
        "values ($1, $2, $3, $4, $5, $5, $6, $7) returning id, title, text, tags, done, created, changed",
        note.title, note.text, tags, note.done, now(), fold(note.title), fold(note.text));
    co_await index_tags(transaction, row.id, note.tags);
    co_return note_of(std::move(row));
  });
}

tern::Task<std::optional<Note>> Notebook::find(std::int64_t id) const {
  auto row =
      co_await db().optional<Row>("select id, title, text, tags, done, created, changed from note where id = $1", id);
  if (!row) co_return std::nullopt;
  co_return note_of(std::move(*row));
}

tern::Task<std::optional<Note>> Notebook::change(std::int64_t id, NotePatch patch) const {
  const std::optional<Tags> tags = patch.tags ? std::optional(Tags{{*patch.tags}}) : std::nullopt;
  co_return co_await db().transaction([&](tern::Transaction& transaction) -> tern::Task<std::optional<Note>> {
    auto row = co_await transaction.optional<Row>(
        "update note set title = coalesce($2, title), text = coalesce($3, text), tags = coalesce($4, tags), "
        "done = coalesce($5, done), changed = $6, title_folded = coalesce($7, title_folded), "
        "text_folded = coalesce($8, text_folded) where id = $1 "
        "returning id, title, text, tags, done, created, changed",
        id, patch.title, patch.text, tags, patch.done, now(), folded(patch.title), folded(patch.text));
    if (!row) co_return std::nullopt;
    if (patch.tags) {
      co_await transaction.execute("delete from note_tag where note = $1", id);
      co_await index_tags(transaction, id, *patch.tags);
    }
    co_return note_of(std::move(*row));
  });
}

tern::Task<bool> Notebook::remove(std::int64_t id) const {
  const std::int64_t deleted = co_await db().execute("delete from note where id = $1", id);
  co_return deleted == 1;
}

tern::Task<Page<Note>> Notebook::page(Window window, NoteFilter filter) const {
  const std::string part = pattern_of(filter.q);
  const std::string tag = filter.tag.value_or("");
  Pager<Note> pager(window);
  auto rows = db().each<Row>(
      "select id, title, text, tags, done, created, changed from note "
      "where (title_folded like $1 escape '\\' or text_folded like $1 escape '\\') and done = coalesce($2, done) "
      "and ($3 = '' or exists (select 1 from note_tag where note_tag.note = note.id and note_tag.tag = $3)) "
      "order by id",
      part, filter.done, tag);
  while (auto row = co_await rows.next()) pager.add(note_of(std::move(*row)));
  co_return std::move(pager).finish();
}

}  // namespace showcase
