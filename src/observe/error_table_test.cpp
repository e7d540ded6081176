#include "observe/error_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tern::observe {
namespace {

TEST(ErrorTable, counts_equal_texts_of_a_route) {
  ErrorTable table;
  table.count("no such table", "GET", "/a", 1);
  table.count("no paper", "GET", "/a", 2);
  table.count("no paper", "GET", "/a", 3);
  table.count("no paper", "GET", "/b", 4);
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].text, "no paper");
  EXPECT_EQ(rows[0].route, "/a");
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].last, 3);
  table.clear();
  EXPECT_TRUE(table.rows().empty());
}

TEST(ErrorTable, is_bounded_and_forgets_the_oldest) {
  ErrorTable table;
  for (std::size_t i = 0; i < 3 * ErrorTable::max_rows; ++i) {
    table.count("constant", "GET", "/a", static_cast<std::int64_t>(i));
    table.count("error " + std::to_string(i), "GET", "/a", static_cast<std::int64_t>(i));
  }
  const auto rows = table.rows();
  EXPECT_EQ(rows.size(), ErrorTable::max_rows);
  EXPECT_EQ(rows[0].text, "constant");
  EXPECT_EQ(rows[0].count, 3 * ErrorTable::max_rows);
  EXPECT_EQ(std::ranges::count(rows, "error 0", &ErrorRow::text), 0);
  EXPECT_EQ(std::ranges::count(rows, "error 299", &ErrorRow::text), 1);
}

TEST(ErrorTable, keeps_the_begin_of_a_long_text_in_whole_characters) {
  ErrorTable table;
  std::string text(ErrorTable::max_text - 1, 'a');
  table.count(text + "äöü", "GET", "/", 1);
  EXPECT_EQ(table.rows().front().text, text);
}

}  // namespace
}  // namespace tern::observe
