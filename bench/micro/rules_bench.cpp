// What rules on members cost a valid request, without the network: the same handler, with and without them. A small
// object, and a list, see books.hpp. `emails` is the check of an address alone. `script/bench rules` has the cost in a
// server.
#include "../server/books.hpp"

#include <tern/tern.hpp>

#include <tern/http/memory_exchange.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

template <class Book>
void serve(benchmark::State& state, const std::string& content) {
  tern::App app;
  app.post("/", [](const tern::Json<Book>& value) {
    if constexpr (requires { value->year; }) {
      return value->year;
    } else {
      return value->size();
    }
  });
  const tern::Service& service = app.service();
  for (auto _ : state) {
    tern::MemoryExchange exchange(tern::Method::Post, "/", {{"content-type", "application/json"}}, content);
    tern::Reply reply = service.serve(exchange);
    if (!reply.ready() || reply.response().status() != tern::Status::Ok) state.SkipWithError("not a 200");
  }
}

template <class Book>
void object(benchmark::State& state) {
  serve<Book>(state, bench::book);
}
template <class Book>
void list(benchmark::State& state) {
  serve<std::vector<Book>>(state, bench::list_of(100));
}

// Addresses that differ, so that branches that depend on their characters are not predicted.
std::string some_text(std::mt19937& random, std::size_t min, std::size_t max) {
  std::string text;
  for (std::size_t size = min + random() % (max - min + 1); size > 0; --size) {
    text.push_back(static_cast<char>('a' + random() % 26));
  }
  return text;
}

void emails(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  for (int i = 0; i < 4096; ++i) {
    std::string text = some_text(random, 3, 9);
    if (random() % 2 == 0) text += "." + some_text(random, 3, 8);
    text += "@" + some_text(random, 4, 12) + "." + some_text(random, 2, 3);
    texts.push_back(std::move(text));
  }
  std::size_t at = 0;
  for (auto _ : state) {
    if (!tern::json::detail::has_format(tern::Format::Email, texts[at++ % texts.size()]))
      state.SkipWithError("invalid");
  }
}

BENCHMARK(object<bench::Book>)->Name("plain_object");
BENCHMARK(object<bench::RuledBook<bench::RuledAuthor>>)->Name("ruled_object");
BENCHMARK(object<bench::RuledBook<bench::FormattedAuthor>>)->Name("formatted_object");
BENCHMARK(object<bench::RuledBook<bench::MatchedAuthor>>)->Name("matched_object");
BENCHMARK(list<bench::Book>)->Name("plain_list");
BENCHMARK(list<bench::RuledBook<bench::RuledAuthor>>)->Name("ruled_list");
BENCHMARK(list<bench::RuledBook<bench::FormattedAuthor>>)->Name("formatted_list");
BENCHMARK(list<bench::RuledBook<bench::MatchedAuthor>>)->Name("matched_list");
BENCHMARK(emails)->Name("emails");

}  // namespace

BENCHMARK_MAIN();
