#include <tern/sql.hpp>

#include <gtest/gtest.h>

namespace tern::sql {
namespace {

TEST(SqlValue, has_the_names_of_types) {
  EXPECT_EQ(to_string(ValueType::Integer), "INTEGER");
}

}  // namespace
}  // namespace tern::sql
