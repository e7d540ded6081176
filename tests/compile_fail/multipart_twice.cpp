// expect: tern: the content of a request is read once
#include <tern/multipart.hpp>
#include <tern/tern.hpp>

struct Form {
  tern::UploadedFile file;
};

int main() {
  tern::App app;
  app.post("/x", [](tern::Multipart<Form>, tern::BodyStream) -> tern::Task<> { co_return; });
}
