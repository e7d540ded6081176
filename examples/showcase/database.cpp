#include "database.hpp"

#include <tern/sqlite.hpp>

#include <filesystem>

namespace showcase {
namespace {

constexpr const char* notes_schema = R"(
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

}  // namespace

Database open_database(const std::string& address) {
  if (is_postgres(address)) return open_postgres(address);
  const bool in_memory = address == ":memory:";
  return {std::make_shared<tern::Sqlite>(tern::SqliteOptions{.path = address}),
          in_memory ? "SQLite, in memory" : "SQLite, " + std::filesystem::absolute(address).lexically_normal().string(),
          {{"0001_notes.sql", notes_schema}}};
}

bool is_postgres(const std::string& address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

}  // namespace showcase
