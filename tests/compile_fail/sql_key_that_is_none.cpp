// expect: the_struct_has_no_member_of_this_name_for_a_key
#include <tern/sql.hpp>

struct Book {
  int id = 0;
  int year = 0;
};

void store(const tern::sql::Queries& db, const Book& book) {
  static_cast<void>(db.update("book", book, "isbn"));
}
