// What rules on members cost a valid request: the same handler, with and without them. A small object, and a list.
// `ruled` has limits, lengths, unique items and a predicate; `formatted` also two e-mail addresses, `matched` the same
// two by a pattern.
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
struct FormattedAuthor {
  std::string name;
  std::string email;
};
struct MatchedAuthor {
  std::string name;
  std::string email;
};
template <class A>
struct RuledBook {
  std::string title;
  std::string isbn;
  int year = 0;
  double price = 0;
  std::vector<std::string> tags;
  std::vector<A> authors;
  std::optional<std::string> note;
};

}  // namespace bench

template <>
struct tern::Rules<bench::RuledAuthor> {
  using Author = bench::RuledAuthor;
  static constexpr auto list = tern::rules(tern::member<&Author::name>(tern::length(1, 100)),
                                           tern::member<&Author::email>(tern::length(3, 100)));
};
template <>
struct tern::Rules<bench::FormattedAuthor> {
  using Author = bench::FormattedAuthor;
  static constexpr auto list = tern::rules(tern::member<&Author::name>(tern::length(1, 100)),
                                           tern::member<&Author::email>(tern::format(tern::Format::Email)));
};
template <>
struct tern::Rules<bench::MatchedAuthor> {
  using Author = bench::MatchedAuthor;
  static constexpr auto list = tern::rules(tern::member<&Author::name>(tern::length(1, 100)),
                                           tern::member<&Author::email>(tern::pattern("^[a-z.]+@[a-z.]+$")));
};
template <class A>
struct tern::Rules<bench::RuledBook<A>> {
  using Book = bench::RuledBook<A>;
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
  serve<Book>(state, book);
}
template <class Book>
void list(benchmark::State& state) {
  serve<std::vector<Book>>(state, list_of(100));
}

BENCHMARK(object<bench::Book>)->Name("plain_object");
BENCHMARK(object<bench::RuledBook<bench::RuledAuthor>>)->Name("ruled_object");
BENCHMARK(object<bench::RuledBook<bench::FormattedAuthor>>)->Name("formatted_object");
BENCHMARK(object<bench::RuledBook<bench::MatchedAuthor>>)->Name("matched_object");
BENCHMARK(list<bench::Book>)->Name("plain_list");
BENCHMARK(list<bench::RuledBook<bench::RuledAuthor>>)->Name("ruled_list");
BENCHMARK(list<bench::RuledBook<bench::FormattedAuthor>>)->Name("formatted_list");
BENCHMARK(list<bench::RuledBook<bench::MatchedAuthor>>)->Name("matched_list");

}  // namespace

BENCHMARK_MAIN();
