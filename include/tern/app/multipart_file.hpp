// UploadedFile: a file sent by a client, in a temporary file without a name.
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

// Closes the descriptor, which can be slow for a large file: on the thread pool if there is one.
void close_uploaded(int descriptor) noexcept;

}  // namespace app

// The behaviour of save_as() if the file exists.
enum class IfExists : std::uint8_t {
  Keep,     // leaves it unchanged
  Replace,  // replaces it atomically
};

// The file has no name in the file system until it is saved: it disappears with this object, or with the process. Its
// descriptor counts towards the limit of the process.
//
// Functions that return a Task work on the thread pool; those that end in _now block, and are for code on the pool:
// blocking() handlers and offload(). Only one function may use an UploadedFile at a time, and it must not be moved
// meanwhile. All throw std::system_error on a failure of the file system.
class UploadedFile {
public:
  // No file: the value of an empty file input. Reads as an empty file, and cannot be saved.
  constexpr UploadedFile() noexcept = default;
  // An empty file; both texts are from the client.
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

  // The client's name of the file: never a path, but otherwise not to be trusted (".htaccess", "index.html"). Empty if
  // there is no valid name.
  const std::string& file_name() const noexcept { return file_name_; }
  // The client's media type, such as "image/png"; empty if there is none.
  const std::string& content_type() const noexcept { return content_type_; }
  // In bytes.
  std::uint64_t size() const noexcept { return size_; }
  // Open for reading and writing, positioned at the beginning; -1 if there is no file.
  int descriptor() const noexcept { return descriptor_; }

  // Fills `into` from byte `from` on. Returns the number of bytes, which is less only at the end of the file.
  Task<std::size_t> read(std::span<char> into, std::uint64_t from = 0) const;
  std::size_t read_now(std::span<char> into, std::uint64_t from = 0) const;

  // The whole content. Throws HttpError (413) if it is larger than `most` bytes.
  Task<std::string> text(std::size_t most = 1024 * 1024) const;
  std::string text_now(std::size_t most = 1024 * 1024) const;

  // Gives the file a name: by a link in the same file system, which takes constant time, otherwise by a copy. Other
  // processes see it complete or not at all. Readable and writable only by its owner (mode 0600). Returns false,
  // without effect, if the name exists and is to be kept. Choose the path yourself; use file_name() as its last segment
  // only after validation.
  Task<bool> save_as(std::string path, IfExists if_exists = IfExists::Keep) const;
  bool save_as_now(const std::string& path, IfExists if_exists = IfExists::Keep) const;

  // For receivers: appends both texts; the first call creates the file. Blocks. After an error, the content is
  // unusable.
  std::error_code append_now(std::string_view first, std::string_view second = {});

private:
  std::string file_name_;
  std::string content_type_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace tern
