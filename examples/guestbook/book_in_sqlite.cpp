#include "book.hpp"

#include <utility>

namespace guestbook {
namespace {

// The key is the name in lower case; entries have ids that are not used again.
const std::vector<tern::sql::Migration> migrations = {
    {"0001_guestbook.sql",
     "create table account (key text primary key, name text not null, password_hash text not null, "
     "roles text not null) strict;"
     "create table entry (id integer primary key autoincrement, name text not null, message text not null, "
     "media_type text, picture blob) strict;"},
};

struct AccountRow {
  std::string name;
  std::string password_hash;
  tern::Json<std::vector<std::string>> roles;
};
struct PictureRow {
  std::optional<std::string> media_type;
  std::optional<std::vector<std::byte>> picture;
};

std::optional<Account> account_of(std::optional<AccountRow> row) {
  if (!row) return std::nullopt;
  return Account{std::move(row->name), std::move(row->password_hash), std::move(row->roles.value)};
}

class SqliteBook final : public Book {
public:
  explicit SqliteBook(tern::Sqlite database) : database_(std::move(database)) {}

  tern::Task<std::optional<Account>> find(std::string name) const override {
    auto query =
        database_.optional<AccountRow>("select name, password_hash, roles from account where key = lower($1)", name);
    co_return account_of(co_await std::move(query));
  }

  tern::Task<std::optional<Account>> add(Account account) const override {
    auto insertion = database_.optional<AccountRow>(
        "insert into account (key, name, password_hash, roles) "
        "select lower($1), $1, $2, iif(exists (select 1 from account), '[]', '[\"moderator\"]') where true "
        "on conflict do nothing returning name, password_hash, roles",
        account.name, account.password_hash);
    co_return account_of(co_await std::move(insertion));
  }

  tern::Task<> set_password(std::string name, std::string password_hash) const override {
    auto update = database_.execute("update account set password_hash = $2 where key = lower($1)", name, password_hash);
    co_await std::move(update);
  }

  tern::Task<std::vector<Entry>> latest() const override {
    return database_.query<Entry>(
        "select id, name, message, picture is not null as has_picture from entry order by id desc");
  }

  tern::Task<> sign(std::string name, std::string message, std::optional<Picture> picture) const override {
    PictureRow row;
    if (picture) {
      const auto bytes = std::as_bytes(std::span(picture->content));
      row.media_type = picture->media_type;
      row.picture.emplace(bytes.begin(), bytes.end());
    }
    const auto work = [&](tern::Transaction& transaction) -> tern::Task<> {
      co_await transaction.execute("insert into entry (name, message, media_type, picture) values ($1, $2, $3, $4)",
                                   name, message, row.media_type, row.picture);
      co_await transaction.execute("delete from entry where id not in (select id from entry order by id desc limit $1)",
                                   max_entries);
    };
    co_await database_.transaction(work);
  }

  tern::Task<bool> remove(std::int64_t id) const override {
    auto deletion = database_.execute("delete from entry where id = $1", id);
    co_return co_await std::move(deletion) > 0;
  }

  tern::Task<std::optional<Picture>> picture(std::int64_t id) const override {
    auto query = database_.optional<PictureRow>("select media_type, picture from entry where id = $1", id);
    const std::optional<PictureRow> row = co_await std::move(query);
    if (!row || !row->picture) co_return std::nullopt;
    const auto* const bytes = reinterpret_cast<const char*>(row->picture->data());
    co_return Picture{row->media_type.value(), std::string(bytes, row->picture->size())};
  }

private:
  tern::Sqlite database_;
};

}  // namespace

std::unique_ptr<Book> book_in(tern::Sqlite database) {
  return std::make_unique<SqliteBook>(std::move(database));
}

tern::Task<> migrate(const tern::Sqlite& database) {
  co_await database.migrate(migrations);
}

}  // namespace guestbook
