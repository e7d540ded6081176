// expect: give the row a name
#include <tern/sql.hpp>

#include <string>

struct Book {
  std::string title;
};

#if defined(__clang__) || __GNUC__ >= 15
static_assert(false, "give the row a name");  // only GCC before 15 has to refuse it
#endif

void store(const tern::sql::Queries& db) {
  static_cast<void>(db.insert("book", Book{"Emma"}));
}
