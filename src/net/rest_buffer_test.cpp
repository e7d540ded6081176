#include "net/rest_buffer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::net {
namespace {

std::string_view text(const RestBuffer& rest) {
  return {rest.bytes().data(), rest.bytes().size()};
}

TEST(RestBuffer, owns_nothing_when_empty) {
  RestBuffer rest;
  EXPECT_TRUE(rest.empty());
  rest.append(std::string_view("abc"));
  EXPECT_FALSE(rest.empty());
  rest.consume(3);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(rest.capacity(), 0U);
}

TEST(RestBuffer, keeps_what_is_not_consumed_in_order) {
  RestBuffer rest;
  rest.append(std::string_view("abcdef"));
  rest.consume(2);
  rest.append(std::string_view("ghi"));
  EXPECT_EQ(text(rest), "cdefghi");
  rest.assign(std::string_view("new"));
  EXPECT_EQ(text(rest), "new");
  rest.assign({});
  EXPECT_TRUE(rest.empty());
}

TEST(RestBuffer, grows_by_doubling) {
  RestBuffer rest;
  int moves = 0;
  const char* at = nullptr;
  for (int i = 0; i < 1'000'000; ++i) {
    rest.append(std::string_view("x"));
    if (rest.bytes().data() != at) ++moves;
    at = rest.bytes().data();
  }
  EXPECT_LE(moves, 13);
  EXPECT_LE(rest.capacity(), 2'000'000U);
}

TEST(RestBuffer, does_not_grow_while_as_much_is_consumed_as_appended) {
  RestBuffer rest;
  rest.append(std::string(100, 'x'));
  for (int i = 0; i < 100'000; ++i) {
    rest.append(std::string_view("0123456789"));
    rest.consume(10);
  }
  EXPECT_EQ(rest.size(), 100U);
  EXPECT_LT(rest.capacity(), 1000U);
}

TEST(RestBuffer, allows_reading_behind_its_last_byte) {
  RestBuffer rest;
  std::size_t read = 0;
  while (rest.size() < 10'000) {
    rest.append(std::string_view("xy"));
    for (std::size_t i = 0; i < RestBuffer::padding; ++i) {
      read += static_cast<volatile const char*>(rest.bytes().data())[rest.size() + i] != 'q' ? 1U : 0U;
    }
  }
  EXPECT_GT(read, 0U);
}

TEST(RestBuffer, gives_a_large_block_back_when_little_is_left) {
  RestBuffer rest;
  rest.append(std::string(1'000'000, 'x'));
  rest.assign(std::string_view("abc"));
  EXPECT_EQ(text(rest), "abc");
  EXPECT_LT(rest.capacity(), 1000U);
}

}  // namespace
}  // namespace tern::net
