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

class Told final : public Watch::Handler {
public:
  void on_ready(bool readable, bool writable) noexcept override {
    times.push_back(std::string(readable ? "r" : "") + (writable ? "w" : ""));
    if (const auto now = then) now();  // which may change it
  }
  std::vector<std::string> times;
  std::function<void()> then;
};

class Rounds final : public RoundEnd {
public:
  explicit Rounds(Loop& loop) : loop_(loop) {}
  void on_round_end() noexcept override { --left_ == 0 ? loop_.stop() : loop_.at_round_end(*this); }

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
    watch = loop.watch(ours.number(), told);
  }
  void say(std::string_view text) const {
    EXPECT_EQ(::send(theirs.number(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  void hear() const {
    std::array<char, 64> buffer;
    EXPECT_GT(::recv(ours.number(), buffer.data(), buffer.size(), 0), 0);
  }
  // A few rounds, so that what would be told has been.
  void run() {
    Rounds rounds(loop);
    loop.at_round_end(rounds);
    loop.run();
  }

  Loop loop;
  Descriptor ours;
  Descriptor theirs;
  Told told;
  base::Box<Watch> watch;
};

TEST_F(WatchTest, tells_nothing_that_is_not_wanted) {
  say("hello");
  run();
  EXPECT_TRUE(told.times.empty());
  EXPECT_TRUE(watch->want(false, true));
  told.then = [this] { EXPECT_TRUE(watch->want(false, false)); };
  run();
  EXPECT_THAT(told.times, ElementsAre("w"));
}

TEST_F(WatchTest, tells_what_is_wanted_as_long_as_it_lasts) {
  EXPECT_TRUE(watch->want(true, false));
  told.then = [this] {
    if (told.times.size() == 3) {
      hear();
      loop.stop();
    }
  };
  say("hello");
  loop.run();
  run();
  EXPECT_THAT(told.times, ElementsAre("r", "r", "r"));
}

TEST_F(WatchTest, what_is_wanted_may_change_while_it_is_told) {
  EXPECT_TRUE(watch->want(true, false));
  told.then = [this] {
    hear();
    EXPECT_TRUE(watch->want(true, true));
    told.then = [this] {
      EXPECT_TRUE(watch->want(true, false));
      told.then = nullptr;
      loop.stop();
    };
  };
  say("hello");
  loop.run();
  run();
  EXPECT_THAT(told.times, ElementsAre("r", "w"));
  told.then = [this] { loop.stop(); };
  say("again");
  loop.run();
  EXPECT_EQ(told.times.at(2), "r");
}

TEST_F(WatchTest, the_end_of_the_peer_is_told_as_what_is_wanted) {
  EXPECT_TRUE(watch->want(true, false));
  told.then = [this] {
    watch.reset();
    loop.stop();
  };
  theirs.reset();
  loop.run();
  run();
  EXPECT_THAT(told.times, ElementsAre("r"));
}

TEST_F(WatchTest, one_that_is_destroyed_is_told_nothing_although_it_is_due) {
  Descriptor third(::dup(ours.number()));
  Told other;
  base::Box<Watch> second = loop.watch(third.number(), other);
  EXPECT_TRUE(watch->want(true, false));
  EXPECT_TRUE(second->want(true, false));
  told.then = [&] {
    second.reset();
    watch.reset();
    third.reset();
    ours.reset();
  };
  other.then = told.then;
  say("hello");
  run();
  EXPECT_EQ(told.times.size() + other.times.size(), 1U);
}

TEST_F(WatchTest, a_watch_goes_on_in_the_next_run_of_the_loop) {
  EXPECT_TRUE(watch->want(true, false));
  run();
  say("hello");
  told.then = [this] {
    hear();
    loop.stop();
  };
  loop.run();
  EXPECT_THAT(told.times, ElementsAre("r"));
}

TEST_F(WatchTest, a_descriptor_that_cannot_be_watched_is_refused) {
  base::Box<Watch> none = loop.watch(-1, told);
  EXPECT_FALSE(none->want(true, false));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace tern::net
