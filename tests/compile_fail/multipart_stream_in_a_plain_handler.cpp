// expect: takes it by value and returns a tern::Task
#include <tern/multipart.hpp>
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.post("/x", [](tern::MultipartStream) { return "x"; });
}
