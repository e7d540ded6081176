// Books with and without rules on their members, and their JSON: what rules cost a valid request is measured with them.
// `Book` has none. A RuledBook of RuledAuthor has limits, lengths, unique items and a predicate; of FormattedAuthor
// also two e-mail addresses; of MatchedAuthor the same two by a pattern.
#pragma once

#include <tern/rules.hpp>

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

namespace bench {

inline const std::string book = R"({"title":"A title of a book","isbn":"9780441013593","year":1965,"price":19.99,)"
                                R"("tags":["history","science","letters"],"authors":[{"name":"Ada Lovelace",)"
                                R"("email":"ada@example.org"},{"name":"Mary Shelley","email":"mary@example.org"}]})";

inline std::string list_of(int count) {
  std::string text = "[" + book;
  for (int i = 1; i < count; ++i) text += "," + book;
  return text + "]";
}

}  // namespace bench
