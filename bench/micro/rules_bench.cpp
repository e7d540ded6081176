// What rules on members cost a valid request: the same handler, with and without them. A small object, and a list.
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <tern/http/memory_exchange.hpp>

#include <benchmark/benchmark.h>

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Author {
  std::string name;
  std::string email;
};
struct Book {
  std::string title;
  std::string isbn;
  int year = 0;
  double price = 0;
  std::vector<std::string> tags;
  std::vector<Author> authors;
  std::optional<std::string> note;
};

struct RuledAuthor {
  std::string name;
  std::string email;
};
struct RuledBook {
  std::string title;
  std::string isbn;
  int year = 0;
  double price = 0;
  std::vector<std::string> tags;
  std::vector<RuledAuthor> authors;
  std::optional<std::string> note;
};

}  // namespace bench

template <>
struct tern::Rules<bench::RuledAuthor> {
  static constexpr auto list = tern::rules(tern::member<&bench::RuledAuthor::name>(tern::length(1, 100)),
                                           tern::member<&bench::RuledAuthor::email>(tern::format(tern::Format::Email)));
};
template <>
struct tern::Rules<bench::RuledBook> {
  using Book = bench::RuledBook;
  static constexpr auto list =
      tern::rules(tern::member<&Book::title>(tern::length(1, 200), tern::describe("As on the cover")),
                  tern::member<&Book::isbn>(tern::length(13, 13)), tern::member<&Book::year>(tern::range(1450, 2100)),
                  tern::member<&Book::price>(tern::exclusive_minimum(0), tern::maximum(10'000)),
                  tern::member<&Book::tags>(tern::items(0, 10), tern::unique_items(), tern::each(tern::length(1, 20))),
                  tern::member<&Book::authors>(tern::min_items(1)), tern::member<&Book::note>(tern::max_length(1000)),
                  tern::check("dear", "an old book has a price",
                              [](const Book& book) { return book.year > 1900 || book.price > 1; }));
};

namespace {

const std::string book = R"({"title":"A title of a book","isbn":"9780441013593","year":1965,"price":19.99,)"
                         R"("tags":["history","science","letters"],"authors":[{"name":"Ada Lovelace",)"
                         R"("email":"ada@example.org"},{"name":"Mary Shelley","email":"mary@example.org"}]})";

std::string list_of(int count) {
  std::string text = "[" + book;
  for (int i = 1; i < count; ++i) text += "," + book;
  return text + "]";
}

void serve(benchmark::State& state, const char* path, const std::string& content) {
  tern::App app;
  app.post("/plain", [](const tern::Json<bench::Book>& value) { return value->year; });
  app.post("/ruled", [](const tern::Json<bench::RuledBook>& value) { return value->year; });
  app.post("/plain/list", [](const tern::Json<std::vector<bench::Book>>& value) { return value->size(); });
  app.post("/ruled/list", [](const tern::Json<std::vector<bench::RuledBook>>& value) { return value->size(); });
  const tern::Service& service = app.service();
  for (auto _ : state) {
    tern::MemoryExchange exchange(tern::Method::Post, path, {{"content-type", "application/json"}}, content);
    tern::Reply reply = service.serve(exchange);
    if (!reply.ready() || reply.response().status() != tern::Status::Ok) state.SkipWithError("not a 200");
  }
}

void plain_object(benchmark::State& state) {
  serve(state, "/plain", book);
}
void ruled_object(benchmark::State& state) {
  serve(state, "/ruled", book);
}
void plain_list(benchmark::State& state) {
  serve(state, "/plain/list", list_of(100));
}
void ruled_list(benchmark::State& state) {
  serve(state, "/ruled/list", list_of(100));
}

BENCHMARK(plain_object);
BENCHMARK(ruled_object);
BENCHMARK(plain_list);
BENCHMARK(ruled_list);

}  // namespace

BENCHMARK_MAIN();
