// What rules on members cost a valid request: the same handler, with and without them. A small object, and a list.
// `ruled` has limits, lengths, unique items and a predicate; `formatted` also two e-mail addresses, `matched` the same
// two by a pattern. `emails` is the check of an address alone.
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <tern/http/memory_exchange.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>
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
