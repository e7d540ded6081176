#include "app.hpp"

void add_routes(tern::App& app) {
  app.get("/", [] { return "Hello from @NAME@\n"; });
}
