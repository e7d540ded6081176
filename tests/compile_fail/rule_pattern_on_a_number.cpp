// expect: a_rule_for_text_is_at_a_member_that_is_none
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  int year = 0;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::year>(tern::pattern("x")));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
