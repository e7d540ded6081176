// Books and loans in SQLite: rows as structs, a transaction, errors as responses, and a table as a CSV stream.
//
//   library --database library.db
//   curl --json '{"title":"Emma","year":1815}' http://127.0.0.1:8080/books
//   curl http://127.0.0.1:8080/books?from=1800
//   curl --json '{"reader":"Ada"}' http://127.0.0.1:8080/books/1/loans
//   curl http://127.0.0.1:8080/books.csv
#include <tern/sqlite.hpp>
#include <tern/tern.hpp>

#include "flags.hpp"

#include <chrono>

namespace {

using Database = tern::State<tern::Sqlite>;

struct NewBook {
  std::string title;
  std::optional<int> year;
};

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::optional<int> year;
};

struct NewLoan {
  std::string reader;
};

struct Loan {
  std::int64_t id = 0;
  std::string reader;
  std::chrono::sys_seconds since;
};

struct Selection {
  int from = 0;
};

const std::vector<tern::sql::Migration> migrations = {
    {"0001_books.sql",
     "create table book (id integer primary key, title text not null unique check (title <> ''), "
     "year integer) strict"},
    {"0002_loans.sql",
     "create table loan (id integer primary key, book integer not null unique references book(id), "
     "reader text not null, since text not null) strict"},
};

tern::Task<std::vector<Book>> list(Database db, tern::Query<Selection> selection) {
  return db->query<Book>("select id, title, year from book where coalesce(year, 0) >= $1 order by id", selection->from);
}

tern::Task<std::optional<Book>> find(std::int64_t id, Database db) {
  return db->optional<Book>("select id, title, year from book where id = $1", id);
}

tern::Task<tern::Created<Book>> add(Database db, tern::Json<NewBook> book) {
  Book added = co_await db->insert<Book>("book", book.value);
  std::string location = "/books/" + std::to_string(added.id);
  co_return tern::created(std::move(added), std::move(location));
}

tern::Task<std::optional<Book>> replace(std::int64_t id, Database db, tern::Json<NewBook> book) {
  const Book changed{id, book->title, book->year};
  return db->update<Book>("book", changed, "id");
}

tern::Task<> discard(std::int64_t id, Database db) {
  const std::int64_t deleted = co_await db->execute("delete from book where id = $1", id);
  if (deleted == 0) throw tern::HttpError(tern::Status::NotFound);
}

// A second loan of a book is a 409: the constraint is checked by the database, and the transaction is rolled back.
tern::Task<Loan> lend(std::int64_t id, Database db, tern::Json<NewLoan> loan) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  co_return co_await db->transaction([&](tern::Transaction& transaction) -> tern::Task<Loan> {
    co_await transaction.one<std::int64_t>("select id from book where id = $1", id);  // or 404
    co_return co_await transaction.one<Loan>(
        "insert into loan (book, reader, since) values ($1, $2, $3) returning id, reader, since", id, loan->reader,
        now);
  });
}

// In bounded memory, however many rows there are.
tern::Response table(Database db) {
  return tern::Response::stream("text/csv", [db](tern::Writer& writer) -> tern::Task<> {
    auto books = db->each<Book>("select id, title, year from book order by id");
    co_await writer.write("id,title,year\r\n");
    while (const auto book = co_await books.next()) {
      std::string quoted;
      for (const char c : book->title) quoted.append(c == '"' ? 2 : 1, c);
      const std::string year = book->year ? std::to_string(*book->year) : "";
      co_await writer.write(std::to_string(book->id) + ",\"" + quoted + "\"," + year + "\r\n");
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::string path = ":memory:";
  const tern::Options options = examples::options(argc, argv, {{"--database", path}});
  try {
    const tern::Sqlite db({.path = path});
    tern::App app;
    app.state(db);
    app.on_error(tern::sql_problem);
    app.on_start([db]() -> tern::Task<> { co_await db.migrate(migrations); });
    constexpr auto taken = tern::Status::Conflict;
    constexpr auto missing = tern::Status::NotFound;
    app.get("/books", list);
    app.post("/books", add).problem(taken, "There is a book of this title");
    app.get("/books.csv", table).response(tern::Status::Ok, "All books", "text/csv");
    app.get("/books/{id}", find);
    app.put("/books/{id}", replace).problem(missing).problem(taken, "There is a book of this title");
    app.del("/books/{id}", discard).problem(missing);
    app.post("/books/{id}/loans", lend).problem(missing).problem(taken, "The book is lent");
    app.openapi({.title = "Library", .docs = "/docs"});
    return app.run(options);
  } catch (const tern::SqlError& error) {
    std::fprintf(stderr, "library: %s\n", error.what());
    return 1;
  }
}
