// The computation of /calc, here and in examples/calc.cpp: the series for ln(1+x), for -1 < x <= 1.
#pragma once

#include <cmath>

namespace bench {

inline double series(double value) {
  constexpr int terms = 5'000'000;
  double sum = 0;
  for (int n = 1; n <= terms; ++n) sum += (n % 2 == 1 ? 1 : -1) * std::pow(value, n) / n;
  return sum;
}

}  // namespace bench
