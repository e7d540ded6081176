// expect: all_members_are_keys_and_none_is_left_to_be_set
#include <tern/sql.hpp>

struct Book {
  int id = 0;
  int year = 0;
};

void store(const tern::sql::Queries& db, const Book& book) {
  static_cast<void>(db.update("book", book, {"id", "year"}));
}
