// FileRange: a part of an open file, as the content of a response.
#pragma once

#include <tern/coro/task.hpp>

#include <cstdint>
#include <utility>

namespace tern {

class Writer;

namespace http {

// An open descriptor with several owners, on any threads; the last one closes it.
class SharedFile {
public:
  SharedFile() noexcept = default;
  // Owns `descriptor` from now on, also if it throws std::bad_alloc.
  explicit SharedFile(int descriptor);
  SharedFile(const SharedFile& other) noexcept;
  SharedFile(SharedFile&& other) noexcept : owned_(std::exchange(other.owned_, nullptr)) {}
  SharedFile& operator=(SharedFile other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~SharedFile();

  int descriptor() const noexcept;  // -1: none
  explicit operator bool() const noexcept { return owned_ != nullptr; }

private:
  struct Owned;
  Owned* owned_ = nullptr;
};

struct FileRange {
  SharedFile file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// Writes the bytes of a regular file, in chunks. Content that is not in the kernel's page cache is read on the pool.
// Throws std::runtime_error if the file has become too short, std::system_error if it cannot be read, and Cancelled as
// Writer::write(). `range` must live until the await ends.
Task<> write_file(Writer& writer, const FileRange& range);

}  // namespace http
}  // namespace tern
