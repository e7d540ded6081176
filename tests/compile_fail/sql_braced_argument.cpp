// expect: give the argument a name
#include <tern/sql.hpp>

#if defined(__clang__) || __GNUC__ >= 15
static_assert(false, "give the argument a name");  // only GCC before 15 has to refuse it
#endif

tern::Task<> store(const tern::sql::Queries& db) {
  co_await db.execute("insert into note values ($1)", tern::json::Raw{"[1]"});
}
