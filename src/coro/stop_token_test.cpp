#include <tern/coro/stop_token.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace tern {
namespace {

struct Recorder final : StopCallback {
  Recorder(StopToken token, std::vector<int>& log_, int number_ = 0)
      : StopCallback(token), log(log_), number(number_) {}
  void on_stop() noexcept override { log.push_back(number); }
  std::vector<int>& log;
  int number;
};

// Calls a function when the token fires.
template <class F>
struct Doing final : StopCallback {
  Doing(StopToken token, F f_) : StopCallback(token), f(f_) {}
  void on_stop() noexcept override { f(); }
  F f;
};

TEST(StopToken, without_a_state_never_fires) {
  const StopToken token;
  EXPECT_FALSE(token.stop_requested());
  std::vector<int> log;
  {
    const Recorder recorder(token, log);
  }
  EXPECT_TRUE(log.empty());
}

TEST(StopToken, says_whether_it_was_stopped) {
  StopState state;
  const StopToken token(state);
  EXPECT_FALSE(token.stop_requested());
  state.stop();
  EXPECT_TRUE(token.stop_requested());
  EXPECT_TRUE(StopToken(state).stop_requested());
  state.reset();
  EXPECT_FALSE(token.stop_requested());
}

TEST(StopToken, may_be_asked_by_another_thread) {
  StopState state;
  const StopToken token(state);
  std::thread waits([token] {
    while (!token.stop_requested()) std::this_thread::yield();
  });
  state.stop();
  waits.join();
}

TEST(StopCallback, is_called_once_however_often_it_is_stopped) {
  StopState state;
  std::vector<int> log;
  const Recorder recorder(StopToken(state), log);
  EXPECT_TRUE(log.empty());
  state.stop();
  state.stop();
  EXPECT_EQ(log.size(), 1U);
  state.reset();
  state.stop();
  EXPECT_EQ(log.size(), 1U);
}

TEST(StopCallback, is_not_called_when_the_token_had_fired_before) {
  StopState state;
  state.stop();
  std::vector<int> log;
  const Recorder recorder(StopToken(state), log);
  state.stop();
  EXPECT_TRUE(log.empty());
}

TEST(StopCallback, sees_the_token_stopped) {
  StopState state;
  bool seen = false;
  const Doing doing(StopToken(state), [&] { seen = state.stopped(); });
  state.stop();
  EXPECT_TRUE(seen);
}

TEST(StopCallback, is_not_called_after_its_end_wherever_it_stood_among_others) {
  for (int gone = 0; gone < 3; ++gone) {
    StopState state;
    std::vector<int> log;
    std::optional<Recorder> recorders[3];
    for (int i = 0; i < 3; ++i) recorders[i].emplace(StopToken(state), log, i);
    recorders[gone].reset();
    state.stop();
    EXPECT_EQ(log.size(), 2U) << gone;
    for (const int number : log) EXPECT_NE(number, gone);
  }
}

TEST(StopCallback, can_be_registered_in_the_place_of_one_that_ended) {
  StopState state;
  std::vector<int> log;
  std::optional<Recorder> first(std::in_place, StopToken(state), log, 1);
  const Recorder second(StopToken(state), log, 2);
  first.reset();
  first.emplace(StopToken(state), log, 3);
  state.stop();
  EXPECT_EQ(log, (std::vector{3, 2}));
}

TEST(StopCallback, may_end_itself_while_it_is_called) {
  StopState state;
  std::vector<int> log;
  struct DestroysItself final : StopCallback {
    DestroysItself(StopToken token, std::optional<DestroysItself>& self_, std::vector<int>& log_)
        : StopCallback(token), self(self_), log(log_) {}
    void on_stop() noexcept override {
      log.push_back(1);
      self.reset();
    }
    std::optional<DestroysItself>& self;
    std::vector<int>& log;
  };
  const Recorder before(StopToken(state), log, 0);
  std::optional<DestroysItself> middle;
  middle.emplace(StopToken(state), middle, log);
  const Recorder after(StopToken(state), log, 2);
  state.stop();
  EXPECT_EQ(log, (std::vector{2, 1, 0}));
}

TEST(StopCallback, may_end_another_that_is_then_not_called) {
  StopState state;
  std::vector<int> log;
  std::optional<Recorder> other(std::in_place, StopToken(state), log, 1);
  std::optional<Recorder> second(std::in_place, StopToken(state), log, 2);
  const Doing ends(StopToken(state), [&other] { other.reset(); });  // the last registered is called first
  state.stop();
  EXPECT_EQ(log, std::vector{2});
}

TEST(StopCallback, registers_nothing_when_it_is_made_while_the_token_fires) {
  StopState state;
  std::vector<int> log;
  std::optional<Recorder> late;
  const Doing makes(StopToken(state), [&] { late.emplace(StopToken(state), log); });
  state.stop();
  EXPECT_TRUE(late);
  EXPECT_TRUE(log.empty());
}

TEST(StopCallback, may_stop_the_token_once_more) {
  StopState state;
  std::vector<int> log;
  const Recorder recorder(StopToken(state), log, 1);
  const Doing stops(StopToken(state), [&state] { state.stop(); });
  state.stop();
  EXPECT_EQ(log, std::vector{1});
}

}  // namespace
}  // namespace tern
