#include "command/process.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <optional>

namespace tern::command {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Child, has_a_status_when_it_has_ended) {
  Child child([] { return 7; }, false);
  pollfd ended = {.fd = child.descriptor(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
  const std::optional<int> status = child.status();
  ASSERT_TRUE(status);
  EXPECT_EQ(text_of_status(*status), "exit status 7");
  EXPECT_FALSE(child);
}

TEST(Child, becomes_a_program_or_ends_with_127) {
  for (const auto& [program, expected] : {std::pair("true", 0), std::pair("/nothing/there", 127)}) {
    Child child([name = program]() -> int { execute({name}); }, true);
    pollfd ended = {.fd = child.descriptor(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
    EXPECT_EQ(WEXITSTATUS(child.status().value_or(-1)), expected) << program;
  }
}

TEST(Child, is_stopped_also_where_it_ignores_the_first_signal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto ignore_one = [&ends]() -> int {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGTERM, &action, nullptr);
    static_cast<void>(::write(ends[1], "x", 1) == 1);
    while (true) ::pause();
  };
  Child child(ignore_one, false);
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  child.stop(milliseconds(50));
  EXPECT_FALSE(child);
  child.stop(seconds(1));  // without effect
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Child, of_a_signal_says_its_name) {
  EXPECT_EQ(text_of_status(SIGKILL), "signal 9 (Killed)");
}

}  // namespace
}  // namespace tern::command
