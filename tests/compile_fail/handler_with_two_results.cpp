// expect: Redirect
// note: Response
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.get("/x", [](tern::Request& request) {
    if (request.query().empty()) return tern::redirect("/y");
    return tern::Response::text("x");
  });
}
