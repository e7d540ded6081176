// expect: this_allowed_value_is_not_of_the_type_of_its_member
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  std::string title;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::title>(tern::one_of(1, 2)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
