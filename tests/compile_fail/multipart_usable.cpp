// expect: nothing
#include <tern/multipart.hpp>
#include <tern/tern.hpp>

struct Form {
  static constexpr tern::FormLimits form_limits = {.files = 1};
  std::string title;
  int count = 1;
  tern::UploadedFile file;
  std::optional<tern::UploadedFile> second;
  std::vector<tern::UploadedFile> others;
};
struct None {};

int main() {
  tern::App app;
  app.post("/plain", [](const tern::Multipart<Form>& form) { return form->title; });
  app.post("/moved", [](tern::Multipart<Form> form, tern::Request& request) {
    const tern::UploadedFile file = std::move(form->file);
    return file.file_name() + std::string(request.path());
  });
  app.post("/task",
           [](tern::Multipart<Form> form) -> tern::Task<std::string> { co_return co_await form->file.text(); });
  app.post("/pool", tern::blocking([](tern::Multipart<Form> form) { return form->file.text_now(); }));
  app.post("/maybe", [](std::optional<tern::Multipart<None>> form) { return form.has_value(); });
  app.post("/stream", [](tern::MultipartStream form) -> tern::Task<> { co_await form.next_part(); });
}
