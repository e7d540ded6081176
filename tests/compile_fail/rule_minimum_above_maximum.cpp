// expect: this_minimum_is_above_its_maximum
#include <tern/rules.hpp>
#include <tern/tern.hpp>

struct Book {
  int year = 0;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::year>(tern::range(2100, 1450)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book> book) { return book->year; });
}
