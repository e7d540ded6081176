// expect: a_key_may_not_be_an_optional_because_null_equals_nothing
#include <tern/sql.hpp>

#include <optional>

struct Book {
  std::optional<int> id;
  int year = 0;
};

void store(const tern::sql::Queries& db, const Book& book) {
  static_cast<void>(db.update("book", book, "id"));
}
