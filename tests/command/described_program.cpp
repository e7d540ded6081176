// A program for tern routes and tern openapi: described-program [WORD]
#include <tern/tern.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  tern::App app;
  app.get("/books/{id}", [](std::int64_t id) { return id; }).name("book");
  app.post("/books", [](tern::Json<std::string> title) { return *title; });
  app.host("admin.example").get("/", [] { return "admin"; });
  app.get("/spec", [] { return "a page"; });
  app.openapi({.title = argc > 1 ? argv[1] : "Books"});
  std::puts("a line of its own");
  std::fflush(stdout);
  return app.run({.port = 0});
}
