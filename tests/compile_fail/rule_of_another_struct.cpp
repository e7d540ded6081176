// expect: tern: the rules in a tern::Rules<T> are about members of another struct than T
#include <tern/rules.hpp>
#include <tern/tern.hpp>

#include <string>

struct Book {
  std::string title;
};
struct Other {
  std::string name;
};

template <>
struct tern::Rules<Book> {
  static constexpr auto list = tern::rules(tern::member<&Other::name>(tern::min_length(1)));
};

int main() {
  tern::App app;
  app.post("/", [](tern::Json<Book>) { return "x"; });
}
