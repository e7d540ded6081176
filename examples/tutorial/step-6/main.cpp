#include "app.hpp"

int main() {
  Services services({.path = "shed.db"});
  tern::App app;
  add_routes(app, services);
  return app.run({.port = 8080});
}
