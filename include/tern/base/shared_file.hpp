// An open descriptor with several owners.
#pragma once

#include <utility>

namespace tern::base {

// The last owner closes it. Owners may be on any threads.
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

}  // namespace tern::base
