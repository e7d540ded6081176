// Work that would block a loop: the series for ln(1+x), five million terms for each request, on the thread pool.
//
//   curl "http://127.0.0.1:8080/calc?value=0.6"
// curl http://127.0.0.1:8080/hello          (answers immediately, also during computations)
#include <tern/tern.hpp>

#include "flags.hpp"

#include <cmath>

namespace {

struct Argument {
  double value;
};

// ln(1+x) = x - x²/2 + x³/3 - …, for -1 < x <= 1.
std::string series(tern::Query<Argument> argument) {
  constexpr int terms = 5'000'000;
  double sum = 0;
  for (int n = 1; n <= terms; ++n) sum += (n % 2 == 1 ? 1 : -1) * std::pow(argument->value, n) / n;
  return std::to_string(sum);
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.get("/calc", tern::blocking(series));
  app.get("/hello", [] { return "Hello, World!"; });
  return app.run(examples::options(argc, argv));
}
