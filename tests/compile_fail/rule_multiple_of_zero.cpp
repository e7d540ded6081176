// expect: this_divisor_is_not_above_zero
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  double price = 0;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::price>(tern::multiple_of(0.0)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
