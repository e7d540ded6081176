// tern routes and tern openapi with programs that do not answer.
#include "command/inspect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tern::command {
namespace {

using ::testing::HasSubstr;

template <class F>
std::string message_of(F call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Inspection, ends_programs_that_do_not_answer) {
  constexpr std::chrono::milliseconds time(50);
  EXPECT_EQ(message_of([&] { routes_of({"sleep", "600"}, time); }), "sleep does not print its routes within 1 s");
  EXPECT_EQ(message_of([&] { content_of({"sleep", "600"}, "/", time); }), "sleep does not answer within 1 s");
}

TEST(Inspection, tells_programs_that_cannot_be_run_from_others) {
  EXPECT_EQ(message_of([] { routes_of({"./nothing"}); }), "cannot run ./nothing");
  EXPECT_EQ(message_of([] { content_of({"./nothing"}, "/"); }), "cannot run ./nothing");
  EXPECT_THAT(message_of([] { routes_of({"true"}); }), HasSubstr("ends before App::run()"));
  EXPECT_EQ(message_of([] { content_of({"false"}, "/"); }), "false ends before it answers");
}

}  // namespace
}  // namespace tern::command
