// expect: a_rule_for_numbers_is_at_a_member_that_is_none
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  std::string title;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::title>(tern::range(1, 2)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
