#include <tern/app/multipart_file.hpp>

#include "app/temporary_file.hpp"

#include <tern/app/large_value.hpp>
#include <tern/coro/offload.hpp>
#include <tern/http/problem.hpp>

#include <unistd.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace tern {
namespace app {
namespace {

class Closing final : public Job {
public:
  explicit Closing(int descriptor) noexcept : descriptor_(descriptor) {}
  void run() noexcept override {
    ::close(descriptor_);
    delete this;
  }
  void drop() noexcept override { run(); }

private:
  int descriptor_;
};

}  // namespace

void close_uploaded(int descriptor) noexcept {
  Offloader* const pool = pool_of_loop();
  auto* const job = pool != nullptr ? new (std::nothrow) Closing(descriptor) : nullptr;
  if (job != nullptr && pool->submit(Priority::Low, *job)) return;
  delete job;
  ::close(descriptor);
}

}  // namespace app

std::error_code UploadedFile::append_now(std::string_view first, std::string_view second) {
  if (descriptor_ < 0) {
    const auto made = app::make_temporary_file();
    if (!made) return made.error();
    descriptor_ = *made;
  }
  const std::error_code failed = app::write_at(descriptor_, size_, first, second);
  if (!failed) size_ += first.size() + second.size();
  return failed;
}

std::size_t UploadedFile::read_now(std::span<char> into, std::uint64_t from) const {
  if (descriptor_ < 0) return 0;
  const auto count = app::read_at(descriptor_, from, into);
  if (!count) throw std::system_error(count.error(), "reading an uploaded file");
  return *count;
}

std::string UploadedFile::text_now(std::size_t most) const {
  if (size_ > most) throw HttpError(Status::ContentTooLarge, "a file of the form is too large");
  std::string text(static_cast<std::size_t>(size_), '\0');
  text.resize(read_now(text));
  return text;
}

bool UploadedFile::save_as_now(const std::string& path, IfExists if_exists) const {
  if (descriptor_ < 0) throw std::logic_error("an UploadedFile without a file cannot be saved");
  const auto saved = app::save_file(descriptor_, path, if_exists == IfExists::Replace);
  if (!saved) throw std::system_error(saved.error(), "saving an uploaded file as " + path);
  return *saved;
}

Task<std::size_t> UploadedFile::read(std::span<char> into, std::uint64_t from) const {
  const auto work = [&] { return read_now(into, from); };
  co_return co_await offload(work);
}

Task<std::string> UploadedFile::text(std::size_t most) const {
  const auto work = [&] { return text_now(most); };
  co_return co_await offload(work);
}

Task<bool> UploadedFile::save_as(std::string path, IfExists if_exists) const {
  const auto work = [&] { return save_as_now(path, if_exists); };
  co_return co_await offload(work);
}

}  // namespace tern
