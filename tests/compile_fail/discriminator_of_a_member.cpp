// expect: tern: a JsonDiscriminator names a member that the struct has; it is added to those of the struct
#include <tern/tern.hpp>

#include <string>

struct Circle {
  std::string kind;
};

template <>
struct tern::JsonDiscriminator<Circle> {
  static constexpr std::string_view member = "kind", value = "circle";
};

int main() {
  tern::App app;
  app.get("/", [] { return Circle{}; });
}
