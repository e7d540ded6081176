// Names of coroutines in chains.
#include "server/wait_text.hpp"

#include <gtest/gtest.h>

namespace tern::server {
namespace {

TEST(WaitText, names_coroutines_without_the_types_that_templates_return) {
  EXPECT_EQ(coroutine_name("load"), "load");
  EXPECT_EQ(coroutine_name("shop::(anonymous namespace)::load"), "shop::(anonymous namespace)::load");
  EXPECT_EQ(coroutine_name("tern::Task<int> shop::load<int, Book>"), "shop::load<int, Book>");
  EXPECT_EQ(coroutine_name("main::{lambda(int, char)#2}::operator()"), "main::{lambda(int, char)#2}::operator()");
  EXPECT_EQ(coroutine_name("Shelf::operator->"), "Shelf::operator->");
  EXPECT_EQ(coroutine_name(std::string(500, 'a')).size(), 120U);
  EXPECT_EQ(coroutine_name(""), "");
}

TEST(WaitText, names_coroutines_of_the_library_as_users_call_them) {
  EXPECT_EQ(coroutine_name("tern::Task<std::conditional<true, void, std::tuple<int> >::type> tern::coro::all_of<void>"),
            "when_all");
  EXPECT_EQ(coroutine_name("tern::Task<tern::First<int> > tern::coro::any_of_many<int>"), "when_any");
  EXPECT_EQ(coroutine_name("tern::Task<int> tern::coro::within<int>"), "with_timeout");
  EXPECT_EQ(coroutine_name("tern::Scope::join"), "Scope::join");
  EXPECT_EQ(coroutine_name("tern::Task<void> tern::coro::as_task<tern::coro::Sleep>"), "");
}

}  // namespace
}  // namespace tern::server
