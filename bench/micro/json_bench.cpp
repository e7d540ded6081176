// Parsing and writing JSON: the object of `POST /json` (bench/peers/README.md), and a list of a hundred books (24 KB),
// compared with nlohmann-json on the same structs.
#include <tern/json/json.hpp>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

// Outside of the unnamed namespace, where nlohmann-json finds them.
namespace bench {

struct Order {
  std::string name;
  std::int64_t value = 0;
  friend bool operator==(const Order&, const Order&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, name, value)

struct Author {
  std::string first_name;
  std::string last_name;
  friend bool operator==(const Author&, const Author&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Author, first_name, last_name)

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::vector<Author> authors;
  double price = 0;
  bool available = false;
  std::vector<std::string> tags;
  friend bool operator==(const Book&, const Book&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Book, id, title, authors, price, available, tags)

}  // namespace bench

namespace {

using bench::Book;
using bench::Order;

const Order& order() {
  static const Order made{.name = "pen", .value = 21};
  return made;
}

const std::vector<Book>& books() {
  static const std::vector<Book> made = [] {
    std::mt19937 random(1);
    std::vector<Book> list;
    for (std::int64_t i = 0; i < 100; ++i) {
      list.push_back({.id = 1000 + i,
                      .title = "A \"quoted\" title, number " + std::to_string(random()),
                      .authors = {{"Ada", "Lovelace"}, {"Émilie", "du Châtelet"}},
                      .price = static_cast<double>(random() % 10'000) / 100,
                      .available = i % 3 == 0,
                      .tags = {"history", "science", "letters"}});
    }
    return list;
  }();
  return made;
}

template <class T>
void finish(benchmark::State& state, bool right, const T& value) {
  if (!right) state.SkipWithError("not the value that went in");
  const std::size_t size = tern::json::to_string(value).size();
  state.SetLabel(std::to_string(size) + " bytes");
}

template <class T>
void in(benchmark::State& state, const T& value) {
  const std::string text = tern::json::to_string(value);
  bool right = true;
  for (auto _ : state) {
    const auto read = tern::json::read<T>(text);
    benchmark::DoNotOptimize(&read);
    right &= read.has_value();
  }
  finish(state, right && tern::json::read<T>(text) == value, value);
}

template <class T>
void in_nlohmann(benchmark::State& state, const T& value) {
  const std::string text = tern::json::to_string(value);
  T read;
  for (auto _ : state) {
    read = nlohmann::json::parse(text).template get<T>();
    benchmark::DoNotOptimize(&read);
  }
  finish(state, read == value, value);
}

template <class T>
void out(benchmark::State& state, const T& value) {
  std::string text;
  for (auto _ : state) {
    text.clear();
    tern::json::write(text, value);
    benchmark::DoNotOptimize(text.data());
    benchmark::ClobberMemory();
  }
  finish(state, tern::json::read<T>(text) == value, value);
}

template <class T>
void out_nlohmann(benchmark::State& state, const T& value) {
  std::string text;
  for (auto _ : state) {
    text = nlohmann::json(value).dump();
    benchmark::DoNotOptimize(text.data());
    benchmark::ClobberMemory();
  }
  finish(state, tern::json::read<T>(text) == value, value);
}

BENCHMARK_CAPTURE(in, order, order())->Name("parse an object, Tern");
BENCHMARK_CAPTURE(in_nlohmann, order, order())->Name("parse an object, nlohmann-json");
BENCHMARK_CAPTURE(out, order, order())->Name("write an object, Tern");
BENCHMARK_CAPTURE(out_nlohmann, order, order())->Name("write an object, nlohmann-json");
BENCHMARK_CAPTURE(in, books, books())->Name("parse a hundred books, Tern");
BENCHMARK_CAPTURE(in_nlohmann, books, books())->Name("parse a hundred books, nlohmann-json");
BENCHMARK_CAPTURE(out, books, books())->Name("write a hundred books, Tern");
BENCHMARK_CAPTURE(out_nlohmann, books, books())->Name("write a hundred books, nlohmann-json");

}  // namespace

BENCHMARK_MAIN();
