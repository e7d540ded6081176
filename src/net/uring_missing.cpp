// What a library without io_uring says about it.
#include "net/backend.hpp"
#include "net/uring.hpp"

#include <cerrno>
#include <system_error>

namespace tern::net {

std::string why_no_io_uring() {
  return "this library was built without it (TERN_IO_URING)";
}

std::unique_ptr<Poller> make_uring() {
  throw std::system_error(ENOSYS, std::system_category(), why_no_io_uring());
}

}  // namespace tern::net
