#include "base/random.hpp"

#include <sys/random.h>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tern::base {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t filled = 0; filled < count;) {
    const ssize_t more = ::getrandom(bytes.data() + filled, count - filled, 0);
    if (more < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
    if (more > 0) filled += static_cast<std::size_t>(more);
  }
  return bytes;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  std::memcpy(&number, random_bytes(sizeof number).data(), sizeof number);
  return number;
}

}  // namespace tern::base
