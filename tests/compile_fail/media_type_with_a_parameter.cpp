// expect: media_type_must_be_a_type_and_a_subtype_without_parameters
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/", tern::produces("text/csv; header=present", [] { return "a"; }));
}
