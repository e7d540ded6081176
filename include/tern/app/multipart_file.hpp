// UploadedFile: a file that a client has sent, in a temporary file without a name.
#pragma once

#include <tern/coro/task.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tern {

namespace app {

// Has the descriptor closed, which may take as long as the file is large: on the thread pool where there is one.
void close_uploaded(int descriptor) noexcept;

}  // namespace app

// What save_as() does when there is a file of that name already.
enum class IfExists : std::uint8_t {
  Keep,     // nothing: the one that is there stays as it is
  Replace,  // puts the new one in its place, at once: whoever opens the name gets the one or the other, whole
};

// The file has no name in the file system until it is saved: nothing is left of it when this object goes, or the
// process. Its descriptor counts against the limit of the process.
//
// The functions that give a Task do their work on the thread pool; those that end in _now block, and are for what runs
// there already: blocking() handlers and offload(). An UploadedFile is used by one of them at a time, and stays where
// it is meanwhile. All throw std::system_error when the file system fails.
class UploadedFile {
public:
  // No file: what there is when a file input was left empty. It reads as an empty one, and cannot be saved.
  constexpr UploadedFile() noexcept = default;
  // An empty file; both are what the client said.
  UploadedFile(std::string file_name, std::string content_type) noexcept
      : file_name_(std::move(file_name)), content_type_(std::move(content_type)) {}
  constexpr UploadedFile(UploadedFile&& other) noexcept
      : file_name_(std::move(other.file_name_)),
        content_type_(std::move(other.content_type_)),
        size_(std::exchange(other.size_, 0)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  constexpr UploadedFile& operator=(UploadedFile&& other) noexcept {
    std::swap(file_name_, other.file_name_);
    std::swap(content_type_, other.content_type_);
    std::swap(size_, other.size_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  constexpr ~UploadedFile() {
    if (descriptor_ >= 0) app::close_uploaded(descriptor_);
  }

  // Whether there is a file.
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

  // What the client called it: never a path, but not to be trusted otherwise (".htaccess", "index.html"). Empty when it
  // gave no name that could be one.
  const std::string& file_name() const noexcept { return file_name_; }
  // What the client said it to be, such as "image/png"; empty when it said nothing.
  const std::string& content_type() const noexcept { return content_type_; }
  // Bytes.
  std::uint64_t size() const noexcept { return size_; }
  // Open for reading and writing, positioned at the beginning; -1 when there is no file.
  int descriptor() const noexcept { return descriptor_; }

  // Fills `into` with what begins at byte `from`. Returns how many bytes there were: fewer only at the end.
  Task<std::size_t> read(std::span<char> into, std::uint64_t from = 0) const;
  std::size_t read_now(std::span<char> into, std::uint64_t from = 0) const;

  // All of it. Throws HttpError (413) when it is larger than `most` bytes.
  Task<std::string> text(std::size_t most = 1024 * 1024) const;
  std::string text_now(std::size_t most = 1024 * 1024) const;

  // Gives the file a name: by a link where the path is in the same file system, which is instant, by a copy elsewhere.
  // Other processes see it complete or not at all. Only its owner may read and write it (mode 0600). Returns false,
  // having changed nothing, when the name exists and is to be kept. The path is yours: file_name() may be its last
  // segment after you have looked at it.
  Task<bool> save_as(std::string path, IfExists if_exists = IfExists::Keep) const;
  bool save_as_now(const std::string& path, IfExists if_exists = IfExists::Keep) const;

  // For whoever receives it: appends both texts; the first call makes the file. Blocks. What was written before an
  // error is not to be used.
  std::error_code append_now(std::string_view first, std::string_view second = {});

private:
  std::string file_name_;
  std::string content_type_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace tern
