// expect: nothing
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

struct Book {
  std::string title;
  std::optional<int> year;
  std::vector<std::string> tags;
  std::map<std::string, double> prices;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list =
      tern::rules(tern::describe("A book"), tern::member<&Book::title>(tern::length(1, 200), tern::example("Dune")),
                  tern::member<&Book::year>(tern::range(1450, 2100), tern::deprecated()),
                  tern::member<&Book::tags>(tern::max_items(9), tern::each(tern::one_of("a", "b"))),
                  tern::member<&Book::prices>(tern::properties(0, 3),
                                              tern::each(tern::exclusive_minimum(0), tern::multiple_of(0.01))),
                  tern::check("code", "message", [](const Book& book) { return book.title != "x"; }));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
