// expect: Response
// note: Reply
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.use([](tern::Request& request, tern::Next next) {
    if (request.path() == "/x") return tern::Response(tern::Status::Forbidden);
    return next();
  });
}
