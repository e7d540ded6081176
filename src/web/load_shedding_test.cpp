#include <tern/web/load_shedding.hpp>

#include "web/load_gauge.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::web {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

class LoadGaugeTest : public ::testing::Test {
protected:
  ~LoadGaugeTest() override { gauge_->on_executor_end(); }
  // At a time since the start, having waited for so long; the loop has had `idle` of rest so far.
  bool admits(std::uint64_t now, std::uint64_t waited, Importance importance = Importance::Normal) {
    const ExecutorLoad load{now * millisecond, (now - waited) * millisecond, idle_};
    return gauge_->admits(load, [importance] { return importance; });
  }
  void saturate() {
    admits(1, 0);
    admits(101, 0);
    for (int i = 0; i < 200; ++i) gauge_->count(10 * millisecond);
  }

  LoadGauge* gauge_ = new LoadGauge(this);
  std::uint64_t idle_ = 0;
};

TEST_F(LoadGaugeTest, admits_a_burst) {
  EXPECT_TRUE(admits(1, 0));
  EXPECT_TRUE(admits(90, 89));
  EXPECT_TRUE(admits(90, 89, Importance::Expendable));
}

TEST_F(LoadGaugeTest, refuses_what_has_waited_longer_than_a_request_takes_under_lasting_load) {
  saturate();
  EXPECT_TRUE(admits(120, 9));
  EXPECT_FALSE(admits(120, 11));
}

TEST_F(LoadGaugeTest, refuses_the_expendable_first_and_the_important_last) {
  saturate();
  EXPECT_FALSE(admits(120, 0, Importance::Expendable));
  EXPECT_TRUE(admits(120, 39, Importance::Important));
  EXPECT_FALSE(admits(120, 41, Importance::Important));
}

TEST_F(LoadGaugeTest, admits_all_again_once_the_loop_has_rest) {
  saturate();
  idle_ = 20 * millisecond;
  admits(202, 0);
  EXPECT_TRUE(admits(210, 50));
  EXPECT_TRUE(admits(210, 0, Importance::Expendable));
}

TEST(LoadShedding, without_a_loop_serves_everything) {
  App app;
  app.use(LoadShedding());
  app.get("/", [] { return "hello"; });
  EXPECT_EQ(testing::Client(app).get("/").body, "hello");
}

TEST(LoadShedding, with_a_mistake_is_refused) {
  EXPECT_THROW(LoadShedding({.retry_after = Seconds(0)}), SetupError);
  EXPECT_THROW(LoadShedding({.important = {"health"}}), SetupError);
}

}  // namespace
}  // namespace tern::web
