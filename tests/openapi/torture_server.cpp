// Serves the torture service on a free port, or prints its document: torture_server [--document]
#include "openapi/torture.hpp"

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  tern::App app = torture::make_app();
  if (argc > 1 && std::string_view(argv[1]) == "--document") {
    std::fputs(app.openapi_document().c_str(), stdout);
    return 0;
  }
  return app.run({.host = "127.0.0.1", .port = 0});
}
