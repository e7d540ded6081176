#include "net/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tern::net {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

Descriptor Descriptor::duplicate() const noexcept {
  return Descriptor(::fcntl(number_, F_DUPFD_CLOEXEC, 0));
}

void Descriptor::reset() noexcept {
  // Not repeated on EINTR: Linux has closed the descriptor by then.
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

}  // namespace tern::net
