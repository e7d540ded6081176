// expect: tern: what insert() and update() return is a struct
#include <tern/sql.hpp>

struct Book {
  int id = 0;
};

void store(const tern::sql::Queries& db, const Book& book) {
  static_cast<void>(db.insert<int>("book", book));
}
