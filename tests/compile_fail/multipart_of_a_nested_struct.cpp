// expect: tern: a member of a multipart form is
#include <tern/multipart.hpp>
#include <tern/tern.hpp>

struct Inner {
  tern::UploadedFile file;
};
struct Outer {
  Inner inner;
};

int main() {
  tern::App app;
  app.post("/x", [](tern::Multipart<Outer>) { return "x"; });
}
