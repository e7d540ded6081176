// The computation of examples/calc.cpp on bare threads: prints the number of series a second.
//   calc-floor THREADS SECONDS
#include "series.hpp"

#include <tern/base/number.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

struct Counted {
  long series = 0;
  double seconds = 0;
  double sum = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at) {
    return argc == 3 ? tern::base::parse_integer<std::uint16_t>(argv[at]) : std::nullopt;
  };
  const auto wanted_threads = number(1);
  const auto wanted_seconds = number(2);
  if (!wanted_threads || !wanted_seconds) {
    std::fprintf(stderr, "usage: calc-floor THREADS SECONDS\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto seconds = std::chrono::duration<double>(*wanted_seconds);
  std::vector<Counted> counts(*wanted_threads);
  std::vector<std::thread> threads;
  for (Counted& count : counts) {
    threads.emplace_back([&count, seconds] {
      volatile double value = 0.6;  // keeps the compiler from hoisting the computation
      const auto begin = Clock::now();
      do {
        count.sum += bench::series(value);
        ++count.series;
        count.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      } while (count.seconds < seconds.count());
    });
  }
  for (std::thread& thread : threads) thread.join();
  double rate = 0;
  double sum = 0;
  for (const Counted& count : counts) {
    rate += static_cast<double>(count.series) / count.seconds;
    sum += count.sum;
  }
  std::printf("%.3f\n", rate);
  return std::isfinite(sum) ? 0 : 1;
}
