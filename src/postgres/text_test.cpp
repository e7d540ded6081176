// Which statements may run on a connection that others use.
#include "postgres/text.hpp"

#include <tern/sql/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::postgres {
namespace {

bool refused(std::string_view text, Place place = Place::Alone) {
  try {
    check_statement(text, place);
  } catch (const SqlError& error) {
    EXPECT_EQ(error.kind(), SqlErrorKind::Statement);
    return true;
  }
  return false;
}

TEST(PostgresText, statements_that_change_the_connection_are_refused) {
  for (const char* text :
       {"begin", "BEGIN", " commit", "-- x\nrollback", "/* y */ start transaction", "(end", "savepoint a", "set x = 1",
        "reset all", "listen a", "copy a from stdin", "discard all", "; begin"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
  for (const char* text : {"select 1", "update a set b = 1", "beginning", "with x as (select 1) select 1", "", "$1"}) {
    EXPECT_FALSE(refused(text)) << text;
  }
  EXPECT_TRUE(refused("set x = 1", Place::InTransaction));
  EXPECT_FALSE(refused("set local x = 1", Place::InTransaction));
  EXPECT_TRUE(refused("set local x = 1"));
}

TEST(PostgresText, command_tags_have_the_number_of_rows) {
  EXPECT_EQ(changed_rows("INSERT 0 5"), 5);
  EXPECT_EQ(changed_rows("DELETE 12"), 12);
  EXPECT_EQ(changed_rows("SELECT 3"), 0);
  EXPECT_EQ(changed_rows("CREATE TABLE"), 0);
  EXPECT_EQ(changed_rows("COPY 2"), 2);
}

}  // namespace
}  // namespace tern::postgres
