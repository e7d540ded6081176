// expect: no_value_of_the_type_of_this_member_is_within_its_limits
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  unsigned char stars = 0;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::stars>(tern::minimum(300)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
