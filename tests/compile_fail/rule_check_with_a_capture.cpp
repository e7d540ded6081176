// expect: tern: the predicate of a check
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  std::string title;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::check("code", "message", [](auto) { return true; }));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
