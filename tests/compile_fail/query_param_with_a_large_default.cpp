// expect: default_does_not_fit_the_type_of_the_parameter
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [](tern::QueryParam<"page", std::int8_t, 300>) { return "x"; });
}
