#include <tern/base/shared_file.hpp>

#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <new>

namespace tern::base {

struct SharedFile::Owned {
  int descriptor;
  std::atomic<std::uint32_t> owners = 1;
};

SharedFile::SharedFile(int descriptor) : owned_(new(std::nothrow) Owned{descriptor}) {
  if (owned_ != nullptr) return;
  ::close(descriptor);
  throw std::bad_alloc();
}

SharedFile::SharedFile(const SharedFile& other) noexcept : owned_(other.owned_) {
  if (owned_ != nullptr) owned_->owners.fetch_add(1, std::memory_order_relaxed);
}

SharedFile::~SharedFile() {
  if (owned_ == nullptr || owned_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  ::close(owned_->descriptor);
  delete owned_;
}

int SharedFile::descriptor() const noexcept {
  return owned_ != nullptr ? owned_->descriptor : -1;
}

}  // namespace tern::base
