// Routing among 300 routes: without placeholders, with two, and without a match. The order of paths is random.
#include "app/router.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tern::Method;
using tern::app::Router;

constexpr std::uint32_t routes = 300;

struct Question {
  std::string path;
  std::uint32_t route;
};

// Every route ten times.
std::vector<Question> shuffled(auto path_of) {
  std::mt19937 random(1);
  std::vector<Question> questions;
  for (std::uint32_t i = 0; i < 10 * routes; ++i) questions.push_back({path_of(i % routes, random), i % routes});
  std::ranges::shuffle(questions, random);
  return questions;
}

std::string resource(std::uint32_t route) {
  return "/api/v1/resource" + std::to_string(route);
}

// Looks up every path in turn; right(match, values, question) verifies the result.
void ask(benchmark::State& state, std::string_view suffix, const std::vector<Question>& questions, auto right) {
  Router router;
  for (std::uint32_t i = 0; i < routes; ++i) router.add(Method::Get, resource(i).append(suffix), i);
  tern::Arena arena;
  std::array<std::string_view, tern::http::max_parameters> values;
  std::size_t at = 0;
  for (auto _ : state) {
    const Question& question = questions[at];
    const Router::Match match = router.find(Method::Get, question.path, arena, values);
    benchmark::DoNotOptimize(values);
    if (!right(match, values, question)) {
      state.SkipWithError("wrong route");
      break;
    }
    at = at + 1 == questions.size() ? 0 : at + 1;
  }
}

void literal(benchmark::State& state) {
  const auto questions = shuffled([](std::uint32_t route, std::mt19937&) { return resource(route) + "/details"; });
  ask(state, "/details", questions, [](const Router::Match& match, const auto&, const Question& question) {
    return match.route == question.route && match.parameters == 0;
  });
}
BENCHMARK(literal)->Name("300 routes without placeholders");

void placeholders(benchmark::State& state) {
  const auto questions = shuffled([](std::uint32_t route, std::mt19937& random) {
    return resource(route) + "/" + std::to_string(random() % 1'000'000) + "/details/" + std::to_string(random() % 100);
  });
  ask(state, "/{id}/details/{page}", questions,
      [](const Router::Match& match, const auto& values, const Question& question) {
        return match.route == question.route && match.parameters == 2 &&
               values[1].data() + values[1].size() == question.path.data() + question.path.size();
      });
}
BENCHMARK(placeholders)->Name("300 routes with two placeholders");

void nothing(benchmark::State& state) {
  const auto questions = shuffled([](std::uint32_t route, std::mt19937&) { return resource(route) + "/7/other/1"; });
  ask(state, "/{id}/details/{page}", questions,
      [](const Router::Match& match, const auto&, const Question&) { return !match.route; });
}
BENCHMARK(nothing)->Name("300 routes, no match");

}  // namespace

BENCHMARK_MAIN();
