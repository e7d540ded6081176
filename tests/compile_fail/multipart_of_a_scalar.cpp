// expect: tern: Multipart<T> takes a struct
#include <tern/multipart.hpp>
#include <tern/tern.hpp>

int main() {
  tern::App app;
  app.post("/x", [](tern::Multipart<int>) { return "x"; });
}
