// expect: tern: a row to be written is a struct
#include <tern/sql.hpp>

struct Author {
  int id = 0;
};
struct Book {
  int id = 0;
  Author author;
};

void store(const tern::sql::Queries& db, const Book& book) {
  static_cast<void>(db.insert("book", book));
}
