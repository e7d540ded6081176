// The timer wheel with 10,000 armed timers: postponing one, arming and disarming one, and arming and firing all.
#include "net/timer_wheel.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using tern::Milliseconds;
using tern::net::TimerWheel;

constexpr std::size_t timer_count = 10'000;
constexpr std::uint64_t start = 1'000'003;

struct CountingTimer final : tern::Timer {
  void on_timer() noexcept override { ++*calls; }
  std::uint64_t* calls = nullptr;
};

// Timers armed with delays that differ.
class Armed {
public:
  // Delays are from `least` to twice that, in milliseconds.
  explicit Armed(std::int64_t least) : timers_(timer_count) {
    std::mt19937 random(1);
    for (CountingTimer& timer : timers_) {
      timer.calls = &calls_;
      delays_.push_back(Milliseconds(least + static_cast<std::int64_t>(random()) % least));
    }
    arm_all(start);
  }
  ~Armed() {
    for (CountingTimer& timer : timers_) wheel_.disarm(timer);
  }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;

  void arm_all(std::uint64_t now) {
    for (std::size_t i = 0; i < timer_count; ++i) wheel_.arm(timers_[i], now, delays_[i]);
  }
  // The next one in turn.
  CountingTimer& next() {
    at_ = at_ + 1 == timer_count ? 0 : at_ + 1;
    return timers_[at_];
  }
  Milliseconds delay() const { return delays_[at_]; }
  TimerWheel& wheel() { return wheel_; }
  std::uint64_t calls() const { return calls_; }
  std::size_t armed() const {
    return static_cast<std::size_t>(std::ranges::count_if(timers_, [](const auto& timer) { return timer.armed(); }));
  }

private:
  TimerWheel wheel_{start};
  std::vector<CountingTimer> timers_;
  std::vector<Milliseconds> delays_;
  std::uint64_t calls_ = 0;
  std::size_t at_ = 0;
};

void check(benchmark::State& state, bool right) {
  if (!right) state.SkipWithError("timers were lost, or called when they should not");
}

void put_off(benchmark::State& state) {
  Armed armed(60'000);
  std::uint64_t now = start;
  for (auto _ : state) armed.wheel().arm(armed.next(), ++now, Milliseconds(120'000));
  check(state, armed.armed() == timer_count && armed.calls() == 0);
}
BENCHMARK(put_off)->Name("10,000 armed: postpone one");

void disarm_and_arm(benchmark::State& state) {
  Armed armed(60'000);
  for (auto _ : state) {
    CountingTimer& timer = armed.next();
    armed.wheel().disarm(timer);
    armed.wheel().arm(timer, start, armed.delay());
  }
  check(state, armed.armed() == timer_count && armed.calls() == 0);
}
BENCHMARK(disarm_and_arm)->Name("10,000 armed: disarm and arm one");

// Each iteration arms all timers and advances the time, tick by tick, until all have fired.
void come_due(benchmark::State& state) {
  Armed armed(5'000);
  std::uint64_t now = start;
  std::uint64_t laps = 0;
  for (auto _ : state) {
    for (const std::uint64_t end = now + 10'100; now < end; now += TimerWheel::tick_length) armed.wheel().advance(now);
    armed.arm_all(now);
    ++laps;
  }
  check(state, armed.calls() == laps * timer_count && armed.armed() == timer_count);
  state.SetItemsProcessed(static_cast<std::int64_t>(laps * timer_count));
}
BENCHMARK(come_due)->Name("10,000 armed: arm and fire, each");

}  // namespace

BENCHMARK_MAIN();
