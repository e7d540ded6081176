// expect: each_is_at_a_member_without_elements
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  std::string title;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Book::title>(tern::each(tern::min_length(1))));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
