// expect: this_minimum_is_above_its_maximum
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  int year = 0;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::year>(tern::exclusive_minimum(5), tern::maximum(5)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
