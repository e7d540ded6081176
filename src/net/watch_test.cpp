// Descriptors that the loop does not own.
#include "net/descriptor.hpp"
#include "net/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tern::net {
namespace {

using ::testing::ElementsAre;

class TestHandler final : public Watch::Handler {
public:
  void on_ready(bool readable, bool writable) noexcept override {
    times.push_back(std::string(readable ? "r" : "") + (writable ? "w" : ""));
    if (const auto now = then) now();  // which may change it
  }
  std::vector<std::string> times;
  std::function<void()> then;
};

class Iterations final : public IterationEnd {
public:
  explicit Iterations(Loop& loop) : loop_(loop) {}
  void on_iteration_end() noexcept override { --left_ == 0 ? loop_.stop() : loop_.at_iteration_end(*this); }

private:
  Loop& loop_;
  int left_ = 20;
};

class WatchTest : public ::testing::Test {
protected:
  WatchTest() {
    std::array<int, 2> pair{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
    ours = Descriptor(pair[0]);
    theirs = Descriptor(pair[1]);
    watch = loop.watch(ours.number(), handler);
  }
  void say(std::string_view text) const {
    EXPECT_EQ(::send(theirs.number(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  void hear() const {
    std::array<char, 64> buffer;
    EXPECT_GT(::recv(ours.number(), buffer.data(), buffer.size(), 0), 0);
  }
  // A few iterations, so that pending events have been reported.
  void run() {
    Iterations iterations(loop);
    loop.at_iteration_end(iterations);
    loop.run();
  }

  Loop loop;
  Descriptor ours;
  Descriptor theirs;
  TestHandler handler;
  base::Box<Watch> watch;
};

TEST_F(WatchTest, tells_nothing_that_is_not_wanted) {
  say("hello");
  run();
  EXPECT_TRUE(handler.times.empty());
  EXPECT_TRUE(watch->want(false, true));
  handler.then = [this] { EXPECT_TRUE(watch->want(false, false)); };
  run();
  EXPECT_THAT(handler.times, ElementsAre("w"));
}

TEST_F(WatchTest, tells_what_is_wanted_as_long_as_it_lasts) {
  EXPECT_TRUE(watch->want(true, false));
  handler.then = [this] {
    if (handler.times.size() == 3) {
      hear();
      loop.stop();
    }
  };
  say("hello");
  loop.run();
  run();
  EXPECT_THAT(handler.times, ElementsAre("r", "r", "r"));
}

TEST_F(WatchTest, interest_may_change_during_a_notification) {
  EXPECT_TRUE(watch->want(true, false));
  handler.then = [this] {
    hear();
    EXPECT_TRUE(watch->want(true, true));
    handler.then = [this] {
      EXPECT_TRUE(watch->want(true, false));
      handler.then = nullptr;
      loop.stop();
    };
  };
  say("hello");
  loop.run();
  run();
  EXPECT_THAT(handler.times, ElementsAre("r", "w"));
  handler.then = [this] { loop.stop(); };
  say("again");
  loop.run();
  EXPECT_EQ(handler.times.at(2), "r");
}

TEST_F(WatchTest, the_end_of_the_peer_counts_as_the_wanted_readiness) {
  EXPECT_TRUE(watch->want(true, false));
  handler.then = [this] {
    watch.reset();
    loop.stop();
  };
  theirs.reset();
  loop.run();
  run();
  EXPECT_THAT(handler.times, ElementsAre("r"));
}

TEST_F(WatchTest, a_destroyed_one_gets_no_due_notification) {
  Descriptor third(::dup(ours.number()));
  TestHandler other;
  base::Box<Watch> second = loop.watch(third.number(), other);
  EXPECT_TRUE(watch->want(true, false));
  EXPECT_TRUE(second->want(true, false));
  handler.then = [&] {
    second.reset();
    watch.reset();
    third.reset();
    ours.reset();
  };
  other.then = handler.then;
  say("hello");
  run();
  EXPECT_EQ(handler.times.size() + other.times.size(), 1U);
}

TEST_F(WatchTest, a_watch_goes_on_in_the_next_run_of_the_loop) {
  EXPECT_TRUE(watch->want(true, false));
  run();
  say("hello");
  handler.then = [this] {
    hear();
    loop.stop();
  };
  loop.run();
  EXPECT_THAT(handler.times, ElementsAre("r"));
}

TEST_F(WatchTest, a_descriptor_that_cannot_be_watched_is_refused) {
  base::Box<Watch> none = loop.watch(-1, handler);
  EXPECT_FALSE(none->want(true, false));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace tern::net
