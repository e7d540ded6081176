// expect: the_name_of_a_table_is_empty_or_has_a_nul_or_several_dots
#include <tern/sql.hpp>

struct Book {
  int id = 0;
};

void store(const tern::sql::Queries& db) {
  static_cast<void>(db.insert("", Book{1}));
}
