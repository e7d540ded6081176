// expect: tern: rules of a parameter stand at a type of its own
#include <tern/rules.hpp>
#include <tern/tern.hpp>

using Page = tern::QueryParam<"page", int, 1>;

template <>
struct tern::Rules<Page> {
  static constexpr auto list = tern::rules(tern::range(1, 100));
};

int main() {
  tern::App app;
  app.get("/", [](Page page) { return *page; });
}
