#include "database.hpp"

#include <embedded/migrations.hpp>

tern::Task<> prepare(Database database) {
  co_await database.connect(tern::Seconds(30));
  co_await database.migrate(embedded::migrations);
}
